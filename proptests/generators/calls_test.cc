#include "proptests/generators/calls.h"

#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

TEST(Calls, EveryDraftEndsInACall) {
  const int calls = CountOf(AddCalls, [](const Program& p) {
    return Holds(p, Opcode::kBackward) || Holds(p, Opcode::kGrad);
  });
  EXPECT_GT(calls, 290);
}

TEST(Calls, FlagsOccur) {
  for (Key key : {Key::kRetainGraph, Key::kCreateGraph, Key::kAllowUnused, Key::kMaterialize,
                  Key::kInputs, Key::kSeeds}) {
    const int seen = CountOf(AddCalls, [key](const Program& p) {
      for (const auto& statement : p.statements) {
        if (statement.Find(key) != nullptr) return true;
      }
      return false;
    });
    EXPECT_GT(seen, 5) << static_cast<int>(key);
  }
}

}  // namespace
}  // namespace twingrad::generators
