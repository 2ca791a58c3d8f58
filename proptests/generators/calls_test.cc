#include "proptests/generators/calls.h"

#include "proptests/generators/part_test_support.h"
#include "proptests/generators/parts.h"

namespace twingrad::generators {
namespace {

TEST(Root, SeedsHaveTheRootsType) {
  ForEachDraft([](Draft& draft) {
    const ValueId root = PickRoot(draft);
    const ValueId seed = MakeSeed(draft, root);
    EXPECT_TRUE(draft.TypeOf(root) == draft.TypeOf(seed));
    EXPECT_FALSE(draft.RequiresGrad(seed));
    EXPECT_FALSE(PickInputs(draft).empty());
  });
}

TEST(SeveralRoots, CallsGetMoreRootsWithTheirSeeds) {
  const auto add = [](Draft& draft) {
    draft.Op(Opcode::kNeg, {0});
    Draft::Call call;
    call.roots = {1};
    call.seeds = {kNoValue};
    AddRoots(draft, &call);
    EXPECT_EQ(call.roots.size(), call.seeds.size());
    draft.AddCall(call);
  };
  const int several = CountOf(add, [](const Program& p) {
    return p.statements.back().op == Opcode::kBackward && p.statements.back().operands.size() > 1;
  });
  EXPECT_GT(several, 280);
}

TEST(Calls, EveryDraftEndsInACall) {
  const int calls = CountOf(AddCalls, [](const Program& p) {
    return Holds(p, Opcode::kBackward) || Holds(p, Opcode::kGrad);
  });
  EXPECT_GT(calls, 290);
}

TEST(Calls, FlagsOccur) {
  for (Key key : {Key::kRetainGraph, Key::kCreateGraph, Key::kAllowUnused, Key::kMaterialize,
                  Key::kInputs, Key::kSeeds}) {
    const int seen = CountOf(AddCalls, [key](const Program& p) {
      return HasStatement(p, [key](const auto& s) { return s.Find(key) != nullptr; });
    });
    EXPECT_GT(seen, 5) << static_cast<int>(key);
  }
}

TEST(GradOfGrad, TheSecondCallFollowsOneWithCreateGraph) {
  const auto add = [](Draft& draft) { EXPECT_TRUE(AddGradOfGrad(draft)); };
  const int seconds = CountOf(add, [](const Program& p) {
    bool created = false;
    return HasStatement(p, [&created](const program::Statement& statement) {
      const bool call = statement.op == Opcode::kGrad || statement.op == Opcode::kBackward;
      const bool second = call && created;
      created |= call && statement.Get<bool>(Key::kCreateGraph);
      return second;
    });
  });
  EXPECT_GT(seconds, 290);
}

}  // namespace
}  // namespace twingrad::generators
