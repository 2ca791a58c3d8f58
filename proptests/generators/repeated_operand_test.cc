#include "proptests/generators/repeated_operand.h"

#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

TEST(RepeatedOperand, BothPlacesHoldOneValue) {
  const int repeated = CountOf(AddRepeatedOperand, [](const Program& p) {
    const auto& last = p.statements.back();
    return last.operands.size() == 2 && last.operands[0] == last.operands[1];
  });
  EXPECT_GT(repeated, 240);
}

}  // namespace
}  // namespace twingrad::generators
