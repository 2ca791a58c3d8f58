#include "proptests/generators/square.h"

#include <cstdint>

#include "autograd/program/leaf_data.h"
#include "proptests/generators/leaf.h"
#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

void Apply(Draft& draft) {
  draft.SetRounding(true);
  ApplySquares(draft, MakeLeaf(draft, {.dtype = DType::kF64, .shape = Shape{2, 2}, .grad = true}));
}

void ApplyToALeaf(Draft& draft) {
  draft.SetRounding(true);
  ApplySquares(draft, MakeLeaf(draft, {.dtype = DType::kF64, .shape = Shape{2}, .grad = true}));
}

TEST(Square, MakesEachOfItsOps) {
  for (const Opcode op :
       {Opcode::kInverse, Opcode::kDet, Opcode::kSolveTriangular, Opcode::kCholesky}) {
    EXPECT_TRUE(IsOfSquares(op));
    EXPECT_GT(CountWith(Apply, op, 400), 40);
    EXPECT_GT(CountWith(ApplyToALeaf, op, 400), 40);
  }
  EXPECT_FALSE(IsOfSquares(Opcode::kMatmul));
}

TEST(Square, MakesMatricesOfAllSizes) {
  const auto with = [](auto holds) {
    return CountOf(ApplyToALeaf, [holds](const Program& p) {
      return HasStatement(p, [holds](const auto& s) {
        if (s.op != Opcode::kLeaf) return false;
        const auto type = s.template Get<twingrad::program::TensorType>(Key::kType);
        return type.shape.size() >= 2 && holds(type.shape);
      });
    });
  };
  for (int64_t n = 0; n <= 3; ++n) {
    EXPECT_GT(with([n](const Shape& shape) { return shape.back() == n; }), n == 0 ? 3 : 30) << n;
  }
  EXPECT_GT(with([](const Shape& shape) { return shape.size() == 3; }), 30);
  EXPECT_GT(with([](const Shape& shape) { return shape[0] == 0 && shape.size() == 3; }), 3);
}

TEST(Square, TakesEachTriangle) {
  for (const bool upper : {false, true}) {
    EXPECT_GT(CountOf(Apply,
                      [upper](const Program& p) {
                        return HasStatement(p, [upper](const auto& s) {
                          return s.op == Opcode::kSolveTriangular &&
                                 s.template Get<bool>(Key::kUpper) == upper;
                        });
                      }),
              10);
  }
}

}  // namespace
}  // namespace twingrad::generators
