// Calls on Drafts: what they free, what their results are.

#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

TEST(DraftCall, CallsFreeWhatTheyVisit) {
  Bench bench;
  Draft& draft = bench.draft;
  const ValueId x = bench.Leaf(1, /*grad=*/true);
  const ValueId y = draft.Op(Opcode::kMul, {x, x});
  Draft::Call call;
  call.roots = {y};
  call.retain_graph = 1;
  draft.AddCall(call);
  EXPECT_FALSE(draft.IsBroken(y));
  call.retain_graph = -1;
  draft.AddCall(call);
  EXPECT_TRUE(draft.IsBroken(y));
}

TEST(DraftCall, GradientsKnowWhetherTheyRequireGrad) {
  Bench bench;
  Draft& draft = bench.draft;
  const ValueId x = bench.Leaf(1, /*grad=*/true);
  Draft::Call call;
  call.grad = true;
  call.create_graph = true;
  call.inputs = {x};
  call.roots = {draft.Op(Opcode::kMul, {x, x})};
  EXPECT_TRUE(draft.RequiresGrad(draft.AddCall(call).front()));
  call.roots = {draft.Op(Opcode::kNeg, {x})};
  EXPECT_FALSE(draft.RequiresGrad(draft.AddCall(call).front()));
}

}  // namespace
}  // namespace twingrad::generators
