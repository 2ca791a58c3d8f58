// Hooks of every kind that a Program can hold, and retain_grad.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "proptests/generators/parts.h"

namespace twingrad::generators {
namespace {

std::string FreshId(const Draft& draft) { return "h" + std::to_string(draft.num_statements()); }

// A value whose node a gradient reaches after that of `x`, or `x`: so most hooks that act on
// another value do so at a moment that the graph fixes.
ValueId PickBelow(Draft& draft, ValueId x) {
  const bool any = draft.source().Chance(10);
  const NodeIndex node = draft.NodeOf(x);
  const std::vector<uint8_t> reached = draft.graph().Reached({&node, 1});
  return draft.Pick([&](ValueId v) {
    if (!draft.IsFloating(v) || !draft.RequiresGrad(v) || draft[v].is_gradient) return false;
    // A view whose base is written later gets another node.
    return draft[v].base == v && (any || reached[draft.NodeOf(v)] != 0);
  });
}

// The value that do=backward starts from.
ValueId PickBackwardTarget(Draft& draft, ValueId x) {
  const ValueId target = PickBelow(draft, x);
  return target == kNoValue || draft.IsBroken({&target, 1}) ? kNoValue : target;
}

void AddTarget(ValueId target, const char* action, Attributes* attributes) {
  attributes->push_back({Key::kDo, std::string(action)});
  attributes->push_back({Key::kTarget, std::vector<ValueId>{target}});
}

// do=register, remove, backward or callback; false where there is nothing to act on.
bool AddActionOnOthers(Draft& draft, ValueId x, Attributes* attributes) {
  Source& source = draft.source();
  switch (source.Below(4)) {
    case 0: {
      const ValueId target = PickBelow(draft, x);
      if (target != kNoValue) AddTarget(target, "register", attributes);
      return target != kNoValue;
    }
    case 1: {
      const ValueId on = PickBelow(draft, x);
      const std::string id = FreshId(draft) + "r";
      if (on == kNoValue ||
          !draft.Add(Opcode::kHook, {on}, {{Key::kId, id}, {Key::kDo, std::string("record")}})) {
        return false;
      }
      attributes->push_back({Key::kDo, std::string("remove")});
      attributes->push_back({Key::kTarget, id});
      return true;
    }
    case 2: {
      const ValueId target = PickBackwardTarget(draft, x);
      if (target != kNoValue) AddTarget(target, "backward", attributes);
      return target != kNoValue;
    }
    default:
      attributes->push_back({Key::kDo, std::string("callback")});
      return true;
  }
}

// What the hook does. Scaling stays exact; an undefined gradient is rare, because it leaves little
// to compare.
void AddAction(Draft& draft, ValueId x, Attributes* attributes) {
  Source& source = draft.source();
  const uint64_t draw = source.Below(20);
  if (draw < 6) {
    attributes->push_back({Key::kDo, std::string("record")});
  } else if (draw < 13) {
    attributes->push_back({Key::kDo, std::string("scale")});
    attributes->push_back({Key::kBy, source.Pick({2.0, -1.0, 0.5, 3.0, 0.0})});
  } else if (draw < 14) {
    attributes->push_back({Key::kDo, std::string("undefined")});
  } else if (!AddActionOnOthers(draft, x, attributes)) {
    attributes->push_back({Key::kDo, std::string("record")});
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
  const std::string id = FreshId(draft);
  if (remove) attributes.push_back({Key::kId, id});
  const uint64_t draw = source.Below(10);
  bool added = false;
  if (draw >= 8 && draft[x].leaf) {
    if (source.Chance(50) || !AddActionOnOthers(draft, x, &attributes)) {
      attributes.push_back({Key::kDo, std::string("record")});
    }
    added = draft.Add(Opcode::kAccumulateHook, {x}, std::move(attributes));
  } else {
    AddAction(draft, x, &attributes);
    const Opcode op = draw < 6 ? Opcode::kHook : draw == 6 ? Opcode::kPreHook : Opcode::kPostHook;
    added = draft.Add(op, {x}, std::move(attributes));
  }
  if (remove && added) draft.Add(Opcode::kRemoveHook, {}, {{Key::kId, id}});
}

}  // namespace twingrad::generators
