#include "proptests/generators/leaf.h"

#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

TEST(Leaf, ShapesWithZeroOneAndNoDimensionsOccur) {
  const auto any = [](Draft& draft) { MakeLeaf(draft); };
  const auto with = [&](auto holds) {
    return CountOf(any, [&](const Program& p) {
      return holds(p.statements.back().Get<TensorType>(Key::kType).shape);
    });
  };
  EXPECT_GT(with([](const Shape& s) { return s.empty(); }), 50);
  EXPECT_GT(with([](const Shape& s) { return !s.empty() && s[0] == 1; }), 5);
  EXPECT_GT(with([](const Shape& s) { return !s.empty() && s[0] == 0; }), 1);
}

TEST(Leaf, BroadcastableShapesBroadcastToTheShape) {
  ForEachDraft([](Draft& draft) {
    const Shape shape = {2, 1, 3};
    const Shape other = MakeBroadcastable(draft, shape);
    ASSERT_LE(other.size(), shape.size());
    for (size_t i = 1; i <= other.size(); ++i) {
      const int64_t size = other[other.size() - i];
      EXPECT_TRUE(size == 1 || size == shape[shape.size() - i]);
    }
  });
}

}  // namespace
}  // namespace twingrad::generators
