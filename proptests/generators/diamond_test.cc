#include "proptests/generators/diamond.h"

#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

TEST(Diamond, TwoWaysLeadToOneTip) {
  const int diamonds = CountOf(AddDiamond, [](const Program& p) {
    const auto& tip = p.statements.back();
    return tip.operands.size() == 2 && UsesOf(p, 0) >= 2;
  });
  EXPECT_GT(diamonds, 120);
}

}  // namespace
}  // namespace twingrad::generators
