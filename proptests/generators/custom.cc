// Custom functions of one to three values, sometimes with their results used together.

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "proptests/generators/parts.h"

namespace twingrad::generators {
namespace {

Attributes Action(const char* word) { return {{Key::kDo, std::string(word)}}; }

Attributes Scale(Source& source) {
  return {{Key::kDo, std::string("scale")}, {Key::kBy, source.Pick({2.0, -1.0, 0.5, 3.0, 0.0})}};
}

// The value that do=backward starts from: one that the operands are computed from, or an operand,
// so that the graph fixes the moment; its graph is complete.
ValueId PickTarget(Draft& draft, absl::Span<const ValueId> operands) {
  absl::InlinedVector<NodeIndex, 4> nodes;
  for (const ValueId operand : operands) nodes.push_back(draft.NodeOf(operand));
  const NodeFlags reached = draft.graph().Reached(nodes);
  const ValueId target = draft.Pick([&](ValueId v) {
    if (!draft.IsFloating(v) || !draft.RequiresGrad(v) || draft[v].base != v) return false;
    return draft.NodeOf(v) < static_cast<NodeIndex>(reached.size()) &&
           reached[draft.NodeOf(v)] != 0;
  });
  return target == kNoValue || draft.IsBroken(target) ? kNoValue : target;
}

// An error where it is run, or gradients that leave little to compare.
bool IsInTheWay(const Attributes& attributes) {
  const auto& action = std::get<std::string>(attributes[0].value);
  return action == "throw" || action == "wrong_count" || action == "wrong_shape" ||
         action == "nan" || action == "undefined";
}

Attributes DrawAction(Draft& draft, absl::Span<const ValueId> operands) {
  Source& source = draft.source();
  const uint64_t draw = draft.Below(Choice::kCustomAction, 62);
  if (draft.rounding() && source.Chance(18)) return Action("exp");
  if (draw < 5) return Action("pass");
  if (draw < 10) return Scale(source);
  if (draw < 15) return Action("square");
  if (draw < 20) return Action("warn");
  if (draw < 27) {
    const ValueId target = PickTarget(draft, operands);
    if (target == kNoValue) return Action("pass");
    return {{Key::kDo, std::string("backward")}, {Key::kTarget, std::vector<ValueId>{target}}};
  }
  return Action(
      source.Pick({"undefined", "nan", "wrong_dtype", "wrong_shape", "throw", "wrong_count"}));
}

// A write to a copy, which has a history, or to what may be written anyway.
void AddCustomWrite(Draft& draft) {
  Source& source = draft.source();
  const bool views = source.Chance(50);
  ValueId target =
      draft.Pick([&](ValueId v) { return draft.MayWrite(v) && (views || draft[v].base == v); });
  if (target == kNoValue || !draft.RequiresGrad(target)) {
    target = draft.PickDifferentiable();
    if (target != kNoValue) target = draft.Op(Opcode::kClone, {target});
  }
  if (target == kNoValue || !draft.MayWrite(target)) return;
  const bool exp = draft.rounding() && draft[target].range.high <= 4 && source.Chance(40);
  Attributes action = exp                 ? Action("exp")
                      : source.Chance(40) ? Scale(source)
                      : source.Chance(80) ? Action(source.Pick({"pass", "warn"}))
                                          : Action(source.Pick({"undefined", "nan", "throw"}));
  draft.CustomWrite(target, std::move(action));
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
  if (source.Chance(9) && draft.options().Has(Opcode::kCustomInPlace)) {
    return AddCustomWrite(draft);
  }
  Attributes attributes = DrawAction(draft, operands);
  const bool in_the_way = IsInTheWay(attributes);
  if (operands.size() > 1 && source.Chance(15)) {
    const auto marked = static_cast<int64_t>(source.Below(operands.size()));
    attributes.push_back({Key::kNonDifferentiable, std::vector<int64_t>{marked}});
  }
  if (source.Chance(15)) attributes.push_back({Key::kKeepUndefined, true});
  const int before = draft.num_values();
  const std::vector<ValueId> results = draft.Custom(operands, std::move(attributes));
  // Mostly off the way of later calls.
  if (in_the_way && source.Chance(92)) return draft.Forget(before);
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
