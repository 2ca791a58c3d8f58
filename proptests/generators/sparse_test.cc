#include "proptests/generators/sparse.h"

#include <algorithm>
#include <cstdint>

#include "autograd/program/analyze.h"
#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

using twingrad::program::Statement;

void ApplyDense(Draft& draft) {
  ApplySparse(draft, MakeLeaf(draft, {.dtype = DType::kF64, .grad = true}), Opcode::kToDense);
}
void ApplyApart(Draft& draft) {
  ApplySparse(draft, MakeLeaf(draft, {.dtype = DType::kF64, .grad = true}), Opcode::kSparseIndices);
}

// In how many of 400 Programs.
template <typename Predicate>
int Count(void (*apply)(Draft&), Predicate holds) {
  return CountOf(
      apply,
      [&](const Program& program) {
        return HasStatement(program, [&](const Statement& s) { return holds(program, s); });
      },
      400);
}

TEST(SparsePart, AllStatements) {
  const auto is = [](Opcode op) {
    return [op](const Program&, const Statement& s) { return s.op == op; };
  };
  EXPECT_GT(Count(ApplyDense, is(Opcode::kToDense)), 150);
  EXPECT_GT(Count(ApplyApart, is(Opcode::kSparseValues)), 150);
  EXPECT_GT(Count(ApplyApart, is(Opcode::kSparseIndices)), 150);
}

TEST(SparsePart, IndicesRepeatOrAreNoneInOneDimensionOrMore) {
  const auto made_of = [](auto holds) {
    return [holds](const Program& program, const Statement& s) {
      if (s.op != Opcode::kSparseCoo) return false;
      const auto analysis = twingrad::program::Analyze(program);
      const auto& values = analysis->values;
      return holds(values[s.operands[1]].type.shape, values[s.results[0]].type.shape);
    };
  };
  EXPECT_GT(Count(ApplyDense, made_of([](const auto& i, const auto&) { return i[1] == 0; })), 5);
  EXPECT_GT(Count(ApplyDense, made_of([](const auto& i, const auto&) { return i[0] > 1; })), 50);
  EXPECT_GT(Count(ApplyDense, made_of([](const auto& i, const auto& s) {
                    return i[0] == static_cast<int64_t>(s.size());
                  })),
            30);
  EXPECT_GT(Count(ApplyApart,
                  [](const Program& program, const Statement& s) {
                    if (s.op != Opcode::kCoalesce) return false;
                    const auto analysis = twingrad::program::Analyze(program);
                    const auto& sparse = analysis->values[s.operands[0]].sparse;
                    return sparse->indices.shape[1] > s.Get<int64_t>(Key::kCount);
                  }),
            60);
}

}  // namespace
}  // namespace twingrad::generators
