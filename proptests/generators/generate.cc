#include "proptests/generators/generate.h"

#include <algorithm>

#include "proptests/generators/calls.h"
#include "proptests/generators/draft.h"
#include "proptests/generators/leaf.h"
#include "proptests/generators/parts.h"

namespace twingrad::generators {
namespace {

// A part of the body and how often it is drawn.
struct Part {
  Feature feature;
  int weight;
  void (*add)(Draft&);
};

constexpr Part kParts[] = {
    {Feature::kChain, 20, AddChain},
    {Feature::kFanOut, 10, AddFanOut},
    {Feature::kDiamond, 12, AddDiamond},
    {Feature::kLadder, 6, AddLadder},
    {Feature::kSharedSubgraph, 8, AddSharedSubgraph},
    {Feature::kRepeatedOperand, 10, AddRepeatedOperand},
    {Feature::kUnusedInput, 3, AddUnusedInput},
    {Feature::kView, 18, AddView},
    {Feature::kInPlace, 14, AddInPlace},
    {Feature::kDevices, 8, AddDevices},
    {Feature::kHook, 26, AddHook},
    {Feature::kNumbers, 5, AddNumbers},
    {Feature::kNoGrad, 5, AddNoGrad},
    {Feature::kOrder, 1, AddOrder},
    {Feature::kSavedHooks, 7, AddSavedHooks},
    {Feature::kCustom, 25, AddCustom},
    {Feature::kAnyOp, 135, AddAnyOp},
};

// Calls `add`, and marks the feature if that added statements.
void AddMarked(Draft& draft, Feature feature, void (*add)(Draft&)) {
  const int before = draft.num_statements();
  add(draft);
  if (draft.num_statements() > before) draft.Mark(feature);
}

void AddPart(Draft& draft) {
  int total = 0;
  for (const Part& part : kParts) total += draft.options().Has(part.feature) ? part.weight : 0;
  if (total == 0) return AddChain(draft);
  int draw = static_cast<int>(draft.source().Below(static_cast<uint64_t>(total)));
  for (const Part& part : kParts) {
    if (!draft.options().Has(part.feature)) continue;
    draw -= part.weight;
    if (draw >= 0) continue;
    // These two are also used by other parts and mark their features themselves.
    const bool marks = part.feature == Feature::kView || part.feature == Feature::kInPlace;
    return marks ? part.add(draft) : AddMarked(draft, part.feature, part.add);
  }
}

}  // namespace

Program Generate(Source& source, const GeneratorOptions& options, Features* drawn) {
  Draft draft(options, source);
  // Sizes are spread around the average; the end of a Program takes about six statements.
  const int average = std::max(options.statements, 2);
  const int total = static_cast<int>(source.Between(average / 3, average * 3 / 2));
  const int ending = std::min(6, total / 2);
  draft.SetBudget(total - ending);
  draft.SetRounding(source.Chance(42));

  for (int64_t leaves = source.Between(1, 2); leaves > 0; --leaves) {
    MakeLeaf(draft, {.grad = true});
  }
  for (int parts = 0; parts < total && draft.HasRoom(); ++parts) AddPart(draft);

  // An error that the Program survives is placed before its calls.
  if (options.Has(Feature::kError) && source.Chance(3)) {
    AddMarked(draft, Feature::kError, AddSurvivedError);
  }
  draft.SetBudget(total);
  if (options.Has(Feature::kAnomaly) && source.Chance(3)) {
    AddMarked(draft, Feature::kAnomaly, AddAnomaly);
  }
  if (options.Has(Feature::kThreads) && source.Chance(5)) {
    AddMarked(draft, Feature::kThreads, AddThreads);
  }
  bool ended = false;
  if (options.Has(Feature::kGradOfGrad) && source.Chance(75)) {
    // Sometimes after calls that keep the graph.
    if (options.Has(Feature::kCalls) && source.Chance(10)) {
      AddMarked(draft, Feature::kCalls, AddCalls);
    }
    ended = AddGradOfGrad(draft);
    if (ended) draft.Mark(Feature::kGradOfGrad);
  }
  if (!ended || source.Chance(8)) AddCalls(draft);
  if (options.Has(Feature::kError) && source.Chance(5)) {
    AddMarked(draft, Feature::kError, AddError);
  }
  const bool may_fail = options.Has(Feature::kError) && options.Has(Feature::kAnomaly);
  if (may_fail && source.Chance(2)) {
    AddMarked(draft, Feature::kAnomaly, AddNanGradient);
  }
  if (drawn != nullptr) *drawn = draft.drawn();
  return draft.Take();
}

}  // namespace twingrad::generators
