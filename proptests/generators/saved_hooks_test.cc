// Which regions of saved-tensor hooks occur, and that what they packed may be written.

#include <algorithm>
#include <string>

#include "autograd/program/region.h"
#include "proptests/generators/part_test_support.h"
#include "proptests/generators/parts.h"

namespace twingrad::generators {
namespace {

bool HasAction(const Program& program, const std::string& action) {
  return std::any_of(program.statements.begin(), program.statements.end(), [&](const auto& s) {
    return s.op == Opcode::kBegin && s.Find(Key::kDo) != nullptr &&
           s.template Get<std::string>(Key::kDo, "") == action;
  });
}

TEST(SavedHooks, EveryActionOccurs) {
  for (const char* action : {"record", "scale", "throw"}) {
    EXPECT_GT(CountOf(AddSavedHooks, [&](const Program& p) { return HasAction(p, action); }), 15)
        << action;
  }
}

TEST(SavedHooks, WhatIsPackedMayBeWritten) {
  EXPECT_GT(CountOf(AddSavedHooks,
                    [](const Program& p) {
                      return std::any_of(p.statements.begin(), p.statements.end(),
                                         [](const auto& s) { return s.op == Opcode::kNegInPlace; });
                    }),
            5);
}

}  // namespace
}  // namespace twingrad::generators
