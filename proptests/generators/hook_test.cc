#include "proptests/generators/hook.h"

#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

TEST(Hook, EveryKindOccurs) {
  for (Opcode op : {Opcode::kHook, Opcode::kPreHook, Opcode::kPostHook, Opcode::kAccumulateHook,
                    Opcode::kRetainGrad, Opcode::kRemoveHook}) {
    EXPECT_GT(CountOf(AddHook, [op](const Program& p) { return Holds(p, op); }), 5);
  }
}

}  // namespace
}  // namespace twingrad::generators
