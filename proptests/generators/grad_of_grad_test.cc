#include "proptests/generators/grad_of_grad.h"

#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

TEST(GradOfGrad, TheSecondCallFollowsOneWithCreateGraph) {
  const auto add = [](Draft& draft) { EXPECT_TRUE(AddGradOfGrad(draft)); };
  const int seconds = CountOf(add, [](const Program& p) {
    bool created = false;
    for (const auto& statement : p.statements) {
      const bool call = statement.op == Opcode::kGrad || statement.op == Opcode::kBackward;
      if (call && created) return true;
      created |= call && statement.Get<bool>(Key::kCreateGraph);
    }
    return false;
  });
  EXPECT_GT(seconds, 290);
}

}  // namespace
}  // namespace twingrad::generators
