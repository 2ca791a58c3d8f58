#include "proptests/generators/ladder.h"

#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

TEST(Ladder, RungsTakeTheTwoValuesBefore) {
  const int ladders = CountOf(AddLadder, [](const Program& p) {
    const auto& rung = p.statements.back();
    return rung.operands.size() == 2 && rung.operands[0] != rung.operands[1];
  });
  EXPECT_GT(ladders, 150);
}

}  // namespace
}  // namespace twingrad::generators
