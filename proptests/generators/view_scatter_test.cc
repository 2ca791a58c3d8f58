#include "proptests/generators/view_scatter.h"

#include <cstdint>

#include "proptests/generators/leaf.h"
#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

auto Applied(Opcode op, const Shape& shape) {
  return [op, shape](Draft& draft) {
    const ValueId x = MakeLeaf(draft, {.dtype = DType::kF64, .shape = shape, .grad = true});
    ApplyViewScatter(draft, x, op, static_cast<int64_t>(draft.source().Below(shape.size())));
  };
}

// In valid Programs, mostly: of what was drawn nothing is refused.
TEST(ViewScatter, PutsPartsInPlaceOfEachView) {
  for (const Opcode op : {Opcode::kSelectScatter, Opcode::kSliceScatter, Opcode::kDiagonalScatter,
                          Opcode::kAsStridedScatter}) {
    EXPECT_GT(CountWith(Applied(op, {2, 3}), op, 400), 300) << static_cast<int>(op);
    EXPECT_GT(CountWith(Applied(op, {3, 2, 2}), op, 400), 300) << static_cast<int>(op);
  }
  EXPECT_GT(CountWith(Applied(Opcode::kSliceScatter, {0}), Opcode::kSliceScatter, 400), 300);
  EXPECT_GT(CountWith(Applied(Opcode::kDiagonalScatter, {0, 2}), Opcode::kDiagonalScatter, 400),
            300);
}

TEST(ViewScatter, DrawsEachAttribute) {
  const auto with = [](Opcode op, Key key) {
    return CountOf(Applied(op, {3, 3}), [op, key](const Program& p) {
      return HasStatement(
          p, [op, key](const auto& s) { return s.op == op && s.Find(key) != nullptr; });
    });
  };
  for (const Key key : {Key::kStart, Key::kStop, Key::kStep}) {
    EXPECT_GT(with(Opcode::kSliceScatter, key), 20) << twingrad::program::KeyName(key);
  }
  EXPECT_GT(with(Opcode::kDiagonalScatter, Key::kBy), 20);
  EXPECT_GT(with(Opcode::kAsStridedScatter, Key::kStart), 20);
}

}  // namespace
}  // namespace twingrad::generators
