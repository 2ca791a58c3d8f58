// Which custom functions occur, and what their results are used for.

#include <algorithm>
#include <string>

#include "proptests/generators/part_test_support.h"
#include "proptests/generators/parts.h"

namespace twingrad::generators {
namespace {

TEST(Custom, EveryBehaviourOccurs) {
  for (const char* word : {"pass", "scale", "undefined", "throw", "wrong_shape", "wrong_dtype",
                           "nan", "square", "exp", "backward", "warn", "wrong_count"}) {
    const auto holds = [&](const Program& program) {
      return std::any_of(program.statements.begin(), program.statements.end(), [&](const auto& s) {
        return s.op == Opcode::kCustom && s.template Get<std::string>(Key::kDo) == word;
      });
    };
    EXPECT_GT(CountOf(AddCustom, holds, 1000), 2) << word;
  }
}

TEST(Custom, SomeWriteTheirOperand) { EXPECT_GT(CountWith(AddCustom, Opcode::kCustomInPlace), 10); }

TEST(Custom, ResultsOfOneNodeMeetAgain) { EXPECT_GT(CountWith(AddCustom, Opcode::kAdd), 5); }

}  // namespace
}  // namespace twingrad::generators
