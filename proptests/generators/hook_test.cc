// Which hooks occur.

#include "proptests/generators/part_test_support.h"
#include "proptests/generators/parts.h"

namespace twingrad::generators {
namespace {

TEST(Hook, EveryKindOccurs) {
  for (Opcode op : {Opcode::kHook, Opcode::kPreHook, Opcode::kPostHook, Opcode::kAccumulateHook,
                    Opcode::kRetainGrad, Opcode::kRemoveHook}) {
    EXPECT_GT(CountWith(AddHook, op), 5);
  }
}

}  // namespace
}  // namespace twingrad::generators
