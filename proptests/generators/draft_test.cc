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

// A node saves the indices that it gives.
TEST(Draft, IndicesAreSaved) {
  Bench bench;
  Draft& draft = bench.draft;
  const ValueId x = bench.Leaf(2, /*grad=*/true), n = bench.Leaf(2, /*grad=*/false);
  const Attributes along = {{Key::kDim, int64_t{0}}};
  const std::vector<ValueId> saved = draft.OpWithIndices(Opcode::kSort, x, along);
  const std::vector<ValueId> unsaved = draft.OpWithIndices(Opcode::kSort, n, along);
  ASSERT_EQ(saved.size(), 2u);
  ASSERT_EQ(unsaved.size(), 2u);
  EXPECT_TRUE(draft.RequiresGrad(saved[0]));
  EXPECT_FALSE(draft.RequiresGrad(saved[1]));
  EXPECT_FALSE(draft.MayWrite(saved[1]));
  EXPECT_TRUE(draft.MayWrite(unsaved[1]));
  EXPECT_EQ(draft[unsaved[1]].below, 2);
  ASSERT_TRUE(draft.Write(Opcode::kNegInPlace, {unsaved[1]}));
  EXPECT_EQ(draft[unsaved[1]].below, 0);
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
