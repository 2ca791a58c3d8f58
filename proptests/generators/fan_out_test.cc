#include "proptests/generators/fan_out.h"

#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

TEST(FanOut, OneValueHasSeveralConsumers) {
  const int fans = CountOf(AddFanOut, [](const Program& p) { return UsesOf(p, 0) >= 2; });
  EXPECT_GT(fans, 240);
}

}  // namespace
}  // namespace twingrad::generators
