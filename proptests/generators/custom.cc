// Custom functions of one to three values, sometimes with their results used together.

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "proptests/generators/parts.h"

namespace twingrad::generators {
namespace {

// Errors and what leaves little to compare are rare.
Attributes DrawAction(Draft& draft) {
  Source& source = draft.source();
  const auto action = [](const char* word) { return Attributes{{Key::kDo, std::string(word)}}; };
  const uint64_t draw = source.Below(40);
  if (draw < 14) return action("pass");
  if (draw < 24) {
    return {{Key::kDo, std::string("scale")}, {Key::kBy, source.Pick({2.0, -1.0, 0.5, 3.0, 0.0})}};
  }
  if (draw < 33) return action("square");
  if (draw < 35) return action(draft.rounding() ? "exp" : "square");
  return action(source.Pick({"undefined", "nan", "wrong_dtype", "wrong_shape", "throw"}));
}

}  // namespace

void AddCustom(Draft& draft) {
  Source& source = draft.source();
  if (!draft.options().Has(Opcode::kCustom)) return;
  std::vector<ValueId> operands;
  for (int64_t count = source.Between(1, 3); count > 0; --count) {
    // Any value may come along; of another type, another device, or without history.
    const ValueId other = source.Chance(30) ? draft.Pick([](ValueId) { return true; }) : kNoValue;
    const ValueId operand = other != kNoValue ? other : draft.PickDifferentiable();
    if (operand != kNoValue) operands.push_back(operand);
  }
  if (operands.empty()) return;
  const std::vector<ValueId> results = draft.Custom(operands, DrawAction(draft));
  // Two results that meet again give their node two gradients.
  for (size_t i = 1; i < results.size(); ++i) {
    const ValueId a = results[0];
    const ValueId b = results[i];
    if (!draft.IsFloating(a) || draft.TypeOf(a) != draft.TypeOf(b)) continue;
    if (draft.DeviceOf(a) != draft.DeviceOf(b) || source.Chance(40)) continue;
    draft.Op(Opcode::kAdd, {a, b});
  }
}

}  // namespace twingrad::generators
