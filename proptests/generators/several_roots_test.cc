#include "proptests/generators/several_roots.h"

#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

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

}  // namespace
}  // namespace twingrad::generators
