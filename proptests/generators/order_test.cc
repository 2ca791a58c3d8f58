#include "proptests/generators/order.h"

#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

TEST(Order, TheLeafHasThreeOrFourConsumers) {
  const int fans = CountOf(AddOrder, [](const Program& p) {
    const int uses = UsesOf(p, 1);
    return uses == 3 || uses == 4;
  });
  EXPECT_EQ(fans, 300);
}

}  // namespace
}  // namespace twingrad::generators
