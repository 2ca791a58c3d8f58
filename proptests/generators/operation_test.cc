#include "proptests/generators/operation.h"

#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

TEST(Operation, MostOpsChangeTheValue) {
  const int applied = CountOf([](Draft& draft) { ApplyOp(draft, 0); },
                              [](const Program& p) { return p.statements.size() > 1; });
  EXPECT_GT(applied, 270);
}

TEST(Operation, BroadcastFollowsTheRule) {
  EXPECT_TRUE(Broadcast({2, 3}, {3}));
  EXPECT_TRUE(Broadcast({2, 3}, {2, 1}));
  EXPECT_TRUE(Broadcast({}, {4}));
  EXPECT_FALSE(Broadcast({2, 3}, {2}));
  EXPECT_FALSE(Broadcast({64}, {2, 1}));
}

TEST(Operation, SumAllGivesAScalar) {
  ForEachDraft([](Draft& draft) {
    const ValueId sum = SumAll(draft, 0);
    ASSERT_NE(sum, kNoValue);
    EXPECT_TRUE(draft.ShapeOf(sum).empty());
  });
}

}  // namespace
}  // namespace twingrad::generators
