// What is copied to devices, and sums over them.

#include "proptests/generators/part_test_support.h"
#include "proptests/generators/parts.h"

namespace twingrad::generators {
namespace {

TEST(Devices, ValuesAreCopiedToOtherDevices) { EXPECT_GT(CountWith(AddDevices, Opcode::kTo), 280); }

TEST(Order, TheLeafHasThreeOrFourConsumers) {
  const int fans = CountOf(AddOrder, [](const Program& p) {
    const int uses = UsesOf(p, 1);
    return uses == 3 || uses == 4;
  });
  EXPECT_EQ(fans, 300);
}

}  // namespace
}  // namespace twingrad::generators
