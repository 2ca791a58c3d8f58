#include "proptests/generators/devices.h"

#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

TEST(Devices, ValuesAreCopiedToOtherDevices) {
  EXPECT_GT(CountOf(AddDevices, [](const Program& p) { return Holds(p, Opcode::kTo); }), 280);
}

}  // namespace
}  // namespace twingrad::generators
