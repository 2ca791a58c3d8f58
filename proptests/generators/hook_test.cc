// Which hooks occur.

#include <string>

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

TEST(Hook, EveryActionOccurs) {
  for (const char* action : {"record", "scale", "undefined", "throw", "wrong_shape", "wrong_dtype",
                             "register", "remove", "backward", "callback", "warn", "zero_grad"}) {
    const int count = CountOf(
        AddHook,
        [&](const Program& program) {
          return HasStatement(program, [&](const auto& statement) {
            const auto* word = statement.Find(Key::kDo);
            return word != nullptr && std::get<std::string>(*word) == action;
          });
        },
        1000);
    EXPECT_GT(count, 3) << action;
  }
}

}  // namespace
}  // namespace twingrad::generators
