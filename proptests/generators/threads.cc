// Thread sections: two or three that run at the same time over what the Program has so far.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "proptests/generators/alias.h"
#include "proptests/generators/calls.h"
#include "proptests/generators/leaf.h"
#include "proptests/generators/operation.h"
#include "proptests/generators/parts.h"

namespace twingrad::generators {
namespace {

bool HasDevices(const Draft& draft) {
  return draft.options().Has(Feature::kDevices) && draft.options().devices > 0;
}

// A write to a value of the section's own, mostly through a view that is used afterwards.
void AddOwnWrite(Draft& draft) {
  const ValueId x = draft.PickDifferentiable();
  if (x == kNoValue) return;
  const ValueId own =
      draft.options().Has(Opcode::kClone) ? draft.Op(Opcode::kClone, {x}) : ApplyOp(draft, x);
  if (own == kNoValue || own == x) return;
  const bool views = draft.options().Has(Feature::kView);
  const ValueId target = views ? ApplyView(draft, own) : own;
  if (draft.MayWrite(target)) ApplyInPlace(draft, target);
  ApplyOp(draft, target);
}

// What a section computes for itself, over values from before the sections.
void AddOwnGraph(Draft& draft) {
  Source& source = draft.source();
  const bool devices = HasDevices(draft);
  switch (source.Below(10)) {
    case 0:
      return AddFanOut(draft);
    case 1:
      return AddDiamond(draft);
    case 2:
      return AddRepeatedOperand(draft);
    case 3:
    case 4:
      if (devices) {
        draft.Mark(Feature::kDevices);
        return AddDevices(draft);
      }
      [[fallthrough]];
    case 5:
      if (draft.options().Has(Feature::kInPlace)) return AddOwnWrite(draft);
      [[fallthrough]];
    default:
      return AddChain(draft);
  }
}

void AddSectionCall(Draft& draft) {
  Source& source = draft.source();
  ValueId root = PickRoot(draft);
  if (root == kNoValue) return;
  if (draft.NumElements(root) != 1 && source.Chance(60)) {
    root = OrSelf(SumAll(draft, root), root);
  }
  Draft::Call call = CallFrom(draft, root);
  if (draft.options().Has(Feature::kSeveralRoots) && source.Chance(15)) AddRoots(draft, &call);
  if (call.roots.size() > 1) draft.Mark(Feature::kSeveralRoots);
  if (draft.options().Has(Feature::kCalls) && source.Chance(60)) {
    call.retain_graph = 1;
    draft.Mark(Feature::kCalls);
  }
  const bool calls = draft.options().Has(Feature::kCalls) && draft.options().grad;
  if (!draft.options().backward || (calls && source.Chance(20))) {
    call.inputs = PickInputs(draft);
    if (call.inputs.empty()) return;
    call.grad = call.allow_unused = true;
    // Not of a backward: sums with history depend on the order of the calls.
    call.create_graph = calls && source.Chance(30);
    if (calls) draft.Mark(Feature::kCalls);
  }
  draft.AddCall(call);
}

void AddSection(Draft& draft) {
  Source& source = draft.source();
  const int first = draft.num_values();
  if (HasDevices(draft) && source.Chance(8)) {
    draft.Mark(Feature::kDevices);
    AddStreams(draft);
  }
  if (source.Chance(80)) AddOwnGraph(draft);
  const bool hooks = draft.options().Has(Feature::kHook) && draft.options().Has(Opcode::kHook);
  if (hooks && source.Chance(15) && draft.num_values() > first) {
    const ValueId own = draft.num_values() - 1;
    if (draft.IsFloating(own) && draft.RequiresGrad(own)) {
      draft.Mark(Feature::kHook);
      draft.Add(Opcode::kHook, {own}, {{Key::kDo, std::string("record")}});
    }
  }
  for (int64_t calls = source.Chance(85) ? source.Between(1, 2) : 0; calls > 0; --calls) {
    AddSectionCall(draft);
  }
}

// Hooks that read the `.grad` of a leaf, which calls of several sections may add to, and some that
// make it undefined, as an optimizer does that steps in backward. Returns the leaf, or kNoValue.
ValueId AddReader(Draft& draft) {
  const ValueId leaf =
      draft.Pick([&](ValueId v) { return draft[v].leaf && draft.RequiresGrad(v); });
  if (leaf == kNoValue) return leaf;
  draft.Mark(Feature::kHook);
  Source& source = draft.source();
  const bool empties = source.Chance(40);
  if (!empties || source.Chance(50)) {
    draft.Add(Opcode::kAccumulateHook, {leaf}, {{Key::kDo, std::string("record")}});
  }
  if (!empties) return leaf;
  draft.Add(Opcode::kAccumulateHook, {leaf}, {{Key::kDo, std::string("zero_grad")}});
  if (source.Chance(20)) {
    draft.Add(Opcode::kAccumulateHook, {leaf}, {{Key::kDo, std::string("record")}});
  }
  return leaf;
}

// A view whose base is written afterwards; whoever uses it next makes its node anew.
ValueId AddStaleView(Draft& draft) {
  const ValueId x = draft.PickDifferentiable();
  if (x == kNoValue || !draft.options().Has(Opcode::kClone)) return kNoValue;
  const ValueId base = draft.Op(Opcode::kClone, {x});
  if (base == kNoValue) return kNoValue;
  const ValueId view = ApplyView(draft, base);
  if (view == base || !draft.MayWrite(base) || !ApplyInPlace(draft, base)) return kNoValue;
  return view;
}

}  // namespace

void AddThreads(Draft& draft) {
  Source& source = draft.source();
  // They act at a moment that timing decides: the twin judges few of these.
  if (draft.has_acting_hooks() && source.Chance(95)) return;
  ValueId read = kNoValue;
  if (draft.options().Has(Feature::kHook) && source.Chance(20)) read = AddReader(draft);
  // Now and then all release one graph, and one at least finds it whole.
  ValueId shared = kNoValue;
  if (draft.options().backward && source.Chance(12)) {
    AddOwnGraph(draft);
    shared = PickRoot(draft);
  }
  const bool aliases =
      draft.options().Has(Feature::kView) && draft.options().Has(Feature::kInPlace);
  ValueId stale = kNoValue;
  if (aliases && shared == kNoValue && source.Chance(8)) stale = AddStaleView(draft);
  Draft::Call release;
  if (shared != kNoValue) release = CallFrom(draft, shared);
  std::vector<std::pair<int, int>> own;
  for (int64_t i = source.Between(2, 3); i > 0; --i) {
    const int first = draft.num_values();
    if (!draft.Begin(twingrad::program::RegionKind::kThread)) return;
    if (shared != kNoValue) {
      draft.AddCall(release);
    } else {
      if (stale != kNoValue) ApplyOp(draft, stale);
      AddSection(draft);
    }
    draft.Add(Opcode::kEnd, {});
    own.emplace_back(first, draft.num_values());
    draft.SetHidden(first, draft.num_values(), true);
  }
  for (const auto& [first, last] : own) draft.SetHidden(first, last, false);
  // Where calls may fail beside others, what they left is not known.
  if (read != kNoValue && shared == kNoValue && source.Chance(30)) draft.LookAtGrad(read);
}

}  // namespace twingrad::generators
