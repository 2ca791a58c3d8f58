#include "proptests/generators/draft.h"

#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

// x, a leaf with grad; y = x * x, which saves x.
TEST(Draft, SavedVariablesAreNotWritten) {
  Bench bench;
  Draft& draft = bench.draft;
  const ValueId x = bench.Leaf(2, /*grad=*/true);
  const ValueId a = draft.Op(Opcode::kNeg, {x});
  EXPECT_FALSE(draft.MayWrite(x));
  EXPECT_TRUE(draft.MayWrite(a));
  draft.Op(Opcode::kMul, {a, a});
  EXPECT_FALSE(draft.MayWrite(a));
}

TEST(Draft, WritesReachViewsOfTheBase) {
  Bench bench;
  Draft& draft = bench.draft;
  const ValueId x = bench.Leaf(2, /*grad=*/true);
  const ValueId base = bench.Leaf(2, /*grad=*/false);
  const ValueId view = draft.Op(Opcode::kReshape, {base}, {{Key::kShape, std::vector<int64_t>{2}}});
  const ValueId detached = draft.Op(Opcode::kDetach, {base});
  EXPECT_FALSE(draft.RequiresGrad(view));
  ASSERT_TRUE(draft.Write(Opcode::kAddInPlace, {base, x}));
  EXPECT_TRUE(draft.RequiresGrad(base));
  EXPECT_TRUE(draft.RequiresGrad(view));
  EXPECT_FALSE(draft.RequiresGrad(detached));
}

TEST(Draft, RefusedStatementsChangeNothing) {
  Bench bench;
  Draft& draft = bench.draft;
  const ValueId x = bench.Leaf(2, /*grad=*/false);
  EXPECT_EQ(draft.Op(Opcode::kView, {x}, {{Key::kShape, std::vector<int64_t>{3}}}), kNoValue);
  EXPECT_EQ(draft.num_values(), 1);
  EXPECT_EQ(draft.num_statements(), 1);
}

}  // namespace
}  // namespace twingrad::generators
