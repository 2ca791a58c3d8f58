// Hooks of every kind that a Program can hold, and retain_grad.

#include <cstdint>
#include <string>
#include <utility>

#include "proptests/generators/parts.h"

namespace twingrad::generators {
namespace {

// What the hook does. Scaling stays exact; an undefined gradient is rare, because it leaves little
// to compare.
void AddAction(Draft& draft, Attributes* attributes) {
  Source& source = draft.source();
  const uint64_t draw = source.Below(20);
  if (draw < 9) {
    attributes->push_back({Key::kDo, std::string("record")});
  } else if (draw < 19) {
    attributes->push_back({Key::kDo, std::string("scale")});
    attributes->push_back({Key::kBy, source.Pick({2.0, -1.0, 0.5, 3.0, 0.0})});
  } else {
    attributes->push_back({Key::kDo, std::string("undefined")});
  }
}

}  // namespace

void AddHook(Draft& draft) {
  Source& source = draft.source();
  const ValueId x = draft.PickDifferentiable();
  if (x == kNoValue) return;
  if (!draft.options().Has(Opcode::kHook) || source.Chance(25)) {
    draft.Add(Opcode::kRetainGrad, {x});
    return;
  }
  const bool remove = source.Chance(8);
  Attributes attributes;
  const std::string id = "h" + std::to_string(draft.num_statements());
  if (remove) attributes.push_back({Key::kId, id});
  const uint64_t draw = source.Below(10);
  bool added = false;
  if (draw >= 8 && draft[x].leaf) {
    attributes.push_back({Key::kDo, std::string("record")});
    added = draft.Add(Opcode::kAccumulateHook, {x}, std::move(attributes));
  } else {
    AddAction(draft, &attributes);
    const Opcode op = draw < 6 ? Opcode::kHook : draw == 6 ? Opcode::kPreHook : Opcode::kPostHook;
    added = draft.Add(op, {x}, std::move(attributes));
  }
  if (remove && added) draft.Add(Opcode::kRemoveHook, {}, {{Key::kId, id}});
}

}  // namespace twingrad::generators
