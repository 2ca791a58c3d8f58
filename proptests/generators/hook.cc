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
  const bool any = draft.source().Chance(4);
  const NodeIndex node = draft.NodeOf(x);
  const NodeFlags reached = draft.graph().Reached({&node, 1});
  return draft.Pick([&](ValueId v) {
    if (!draft.IsFloating(v) || !draft.RequiresGrad(v)) return false;
    // A view whose base is written later gets another node.
    return draft[v].base == v && (any || reached[draft.NodeOf(v)] != 0);
  });
}

// The value that do=backward starts from.
ValueId PickBackwardTarget(Draft& draft, ValueId x) {
  const ValueId target = PickBelow(draft, x);
  return target == kNoValue || draft.IsBroken(target) ? kNoValue : target;
}

void AddTarget(ValueId target, const char* action, Attributes* attributes) {
  attributes->push_back({Key::kDo, std::string(action)});
  attributes->push_back({Key::kTarget, std::vector<ValueId>{target}});
}

// A hook that the nested call from `target` meets: what is done inside it is what few others do.
void AddHookInside(Draft& draft, ValueId target) {
  draft.Add(Opcode::kHook, {target},
            {{Key::kDo, std::string(draft.source().Pick({"callback", "callback", "record"}))}});
}

// do=register, remove, backward or callback; false where there is nothing to act on.
bool AddActionOnOthers(Draft& draft, ValueId x, Attributes* attributes) {
  switch (draft.Below(Choice::kHookTarget, 4)) {
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
      if (target == kNoValue) return false;
      AddTarget(target, "backward", attributes);
      if (draft.source().Chance(25)) AddHookInside(draft, target);
      return true;
    }
    default:
      attributes->push_back({Key::kDo, std::string("callback")});
      return true;
  }
}

// What the hook does. Scaling stays exact; an undefined gradient leaves little to compare. False
// where it is an error if it is run.
bool AddAction(Draft& draft, ValueId x, Attributes* attributes) {
  Source& source = draft.source();
  const auto act = [&](const char* word) { attributes->push_back({Key::kDo, std::string(word)}); };
  const uint64_t draw = draft.Below(Choice::kHookAction, 40);
  if (draw < 5) {
    act("record");
  } else if (draw < 10) {
    act("scale");
    attributes->push_back({Key::kBy, source.Pick({2.0, -1.0, 0.5, 3.0, 0.0})});
  } else if (draw < 14) {
    act("undefined");
  } else if (draw < 17) {
    act("warn");
  } else if (draw < 27) {
    act(source.Pick({"throw", "wrong_shape", "wrong_dtype"}));
    return false;
  } else if (!AddActionOnOthers(draft, x, attributes)) {
    act("record");
  }
  return true;
}

void RemoveAgain(Draft& draft, ValueId x, const std::string& id) {
  if (draft.source().Chance(90)) {
    draft.Add(Opcode::kRemoveHook, {}, {{Key::kId, id}});
  } else {
    draft.Add(Opcode::kHook, {x}, {{Key::kDo, std::string("remove")}, {Key::kTarget, id}});
  }
}

// Hooks on what a leaf's .grad has become have fewer actions.
void AddAccumulateHook(Draft& draft, ValueId leaf) {
  Source& source = draft.source();
  Attributes attributes;
  const uint64_t draw = source.Below(16);
  if (draw < 4 || (draw < 8 && !AddActionOnOthers(draft, leaf, &attributes))) {
    attributes.push_back({Key::kDo, std::string("record")});
  } else if (draw >= 8 && draw < 10) {
    attributes.push_back({Key::kDo, std::string("warn")});
  } else if (draw >= 10) {
    attributes.push_back({Key::kDo, std::string("zero_grad")});
  }
  const std::string id = FreshId(draft);
  const bool remove = source.Chance(8);
  if (remove) attributes.insert(attributes.begin(), {Key::kId, id});
  if (draft.Add(Opcode::kAccumulateHook, {leaf}, std::move(attributes)) && remove) {
    RemoveAgain(draft, leaf, id);
  }
}

}  // namespace

void AddHook(Draft& draft) {
  const ValueId leaf =
      draft.Pick([&](ValueId v) { return draft[v].leaf && draft.RequiresGrad(v); });
  if (leaf != kNoValue && draft.options().Has(Opcode::kHook) && draft.source().Chance(20)) {
    return AddAccumulateHook(draft, leaf);
  }
  const ValueId x = draft.PickDifferentiable();
  if (x != kNoValue) AddHookOn(draft, x);
}

void AddHookOn(Draft& draft, ValueId x) {
  Source& source = draft.source();
  if (!draft.options().Has(Opcode::kHook) || source.Chance(12)) {
    draft.Add(Opcode::kRetainGrad, {x});
    return;
  }
  Attributes attributes;
  const std::string id = FreshId(draft);
  const bool good = AddAction(draft, x, &attributes);
  // Most of those that would be an error are gone before the next call.
  const bool remove = good ? source.Chance(8) : source.Chance(92);
  if (remove) attributes.push_back({Key::kId, id});
  const uint64_t draw = draft.Below(Choice::kHookKind, 10);
  const Opcode op = draw < 6 ? Opcode::kHook : draw < 8 ? Opcode::kPreHook : Opcode::kPostHook;
  if (draft.Add(op, {x}, std::move(attributes)) && remove) RemoveAgain(draft, x, id);
}

}  // namespace twingrad::generators
