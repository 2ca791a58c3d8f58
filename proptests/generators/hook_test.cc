// Which hooks occur.

#include <string>
#include <vector>

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

// Where a nested call begins, another hook may stand whose callback belongs to that call.
TEST(Hook, CallbacksAreQueuedInNestedCalls) {
  const auto queues = [](const Program& program) {
    return HasStatement(program, [&](const auto& nesting) {
      const auto* word = nesting.Find(Key::kDo);
      if (word == nullptr || std::get<std::string>(*word) != "backward") return false;
      const auto& target = std::get<std::vector<program::ValueId>>(*nesting.Find(Key::kTarget));
      return HasStatement(program, [&](const auto& hook) {
        const auto* action = hook.Find(Key::kDo);
        return action != nullptr && std::get<std::string>(*action) == "callback" &&
               hook.operands[0] == target[0];
      });
    });
  };
  EXPECT_GT(CountOf(AddHook, queues, 1000), 3);
}

}  // namespace
}  // namespace twingrad::generators
