#include "proptests/generators/calls.h"

#include <cstdint>

#include "proptests/generators/operation.h"
#include "proptests/generators/root.h"
#include "proptests/generators/several_roots.h"

namespace twingrad::generators {
namespace {

// One call. `last`: no later statement needs the graph.
void AddCall(Draft& draft, bool last) {
  Source& source = draft.source();
  Draft::Call call;
  const ValueId top = PickRoot(draft);
  if (top == kNoValue) return;
  const bool scalar = draft.NumElements(top) == 1;
  const ValueId summed = !scalar && source.Chance(60) ? SumAll(draft, top) : top;
  const ValueId root = summed == kNoValue ? top : summed;
  call.roots = {root};
  const bool implicit = draft.NumElements(root) == 1 && !source.Chance(20);
  call.seeds = {implicit ? kNoValue : MakeSeed(draft, root, source.Chance(10))};
  if (draft.options().Has(Feature::kSeveralRoots) && source.Chance(25)) AddRoots(draft, &call);
  if (call.roots.size() > 1) draft.Mark(Feature::kSeveralRoots);
  if (!draft.options().Has(Feature::kCalls)) {
    if (!draft.options().backward) MakeGrad(draft, &call);
    draft.AddCall(call);
    return;
  }
  call.grad = (source.Chance(40) || !draft.options().backward) && draft.options().grad;
  call.create_graph = source.Chance(15);
  call.retain_graph = source.Chance(last ? 15 : 85) ? 1 : source.Chance(last ? 10 : 50) ? 0 : -1;
  if (call.grad || source.Chance(25)) call.inputs = PickInputs(draft);
  if (call.grad) {
    if (call.inputs.empty()) return;
    call.materialize = source.Chance(10);
    call.allow_unused = source.Chance(15);
    bool unused = false;
    for (ValueId input : call.inputs) unused |= !draft.Gradient(call, input).reached;
    if (unused && !call.materialize) call.allow_unused = true;
  }
  const bool plain =
      !call.grad && !call.create_graph && call.retain_graph < 0 && call.inputs.empty();
  if (!plain || !last) draft.Mark(Feature::kCalls);
  draft.AddCall(call);
}

}  // namespace

void AddCalls(Draft& draft) {
  Source& source = draft.source();
  const bool several = draft.options().Has(Feature::kCalls) && source.Chance(45);
  for (int64_t i = several ? source.Between(1, 2) : 0; i > 0 && draft.HasRoom(1); --i) {
    AddCall(draft, /*last=*/false);
    if (source.Chance(10)) {
      const ValueId leaf =
          draft.Pick([&](ValueId v) { return draft[v].leaf && draft.RequiresGrad(v); });
      if (leaf != kNoValue) draft.Add(Opcode::kZeroGrad, {leaf});
    }
  }
  AddCall(draft, /*last=*/true);
}

}  // namespace twingrad::generators
