#include "proptests/generators/generate.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

#include "proptests/generators/calls.h"
#include "proptests/generators/draft.h"
#include "proptests/generators/leaf.h"
#include "proptests/generators/parts.h"
#include "proptests/generators/swarm.h"

namespace twingrad::generators {
namespace {

// A part of the body and how often it is drawn.
struct Part {
  Feature feature;
  int weight;
  void (*add)(Draft&);
};

constexpr Part kParts[] = {
    {Feature::kChain, 16, AddChain},
    {Feature::kFanOut, 9, AddFanOut},
    {Feature::kDiamond, 10, AddDiamond},
    {Feature::kLadder, 6, AddLadder},
    {Feature::kSharedSubgraph, 8, AddSharedSubgraph},
    {Feature::kRepeatedOperand, 9, AddRepeatedOperand},
    {Feature::kUnusedInput, 3, AddUnusedInput},
    {Feature::kView, 20, AddView},
    {Feature::kInPlace, 16, AddInPlace},
    {Feature::kDevices, 18, AddDevices},
    {Feature::kHook, 54, AddHook},
    {Feature::kNumbers, 5, AddNumbers},
    {Feature::kNoGrad, 5, AddNoGrad},
    {Feature::kOrder, 1, AddOrder},
    {Feature::kSavedHooks, 16, AddSavedHooks},
    {Feature::kCustom, 56, AddCustom},
    {Feature::kAnyOp, 270, AddAnyOp},
    {Feature::kAliases, 0, AddAliases},
};

// Calls `add`, and marks the feature if that added statements.
void AddMarked(Draft& draft, Feature feature, void (*add)(Draft&)) {
  const int before = draft.num_statements();
  add(draft);
  if (draft.num_statements() > before) draft.Mark(feature);
}

// How often a Program draws the parts.
struct PartWeights {
  std::array<int, std::size(kParts)> of = {};
  int total = 0;

  explicit PartWeights(const Draft& draft) {
    for (size_t i = 0; i < of.size(); ++i) {
      const auto& [feature, weight, add] = kParts[i];
      if (draft.options().Has(feature)) of[i] = draft.swarm().Weight(feature, weight);
      total += of[i];
    }
  }
};

void AddPart(Draft& draft, const PartWeights& weights) {
  if (weights.total == 0) return AddChain(draft);
  int draw = static_cast<int>(draft.source().Below(static_cast<uint64_t>(weights.total)));
  size_t drawn = 0;
  while ((draw -= weights.of[drawn]) >= 0) ++drawn;
  const Part& part = kParts[drawn];
  // These two are also used by other parts and mark their features themselves.
  const bool marks = part.feature == Feature::kView || part.feature == Feature::kInPlace;
  return marks ? part.add(draft) : AddMarked(draft, part.feature, part.add);
}

// At most so many parts.
void AddBody(Draft& draft, int parts) {
  const PartWeights weights(draft);
  for (; parts > 0 && draft.HasRoom(); --parts) {
    AddPart(draft, weights);
    if (draft.options().on_devices && draft.source().Chance(40)) AddStreams(draft);
  }
}

// The orders that a Program lacks are the last draws, so that all else is what it would be with it.
Program Finished(Draft& draft) {
  Program program = draft.Take();
  for (int i = 0; i < draft.options().races; ++i) MaybeDropOrder(draft.source(), program);
  return program;
}

// `long_graph`: the nodes of the long graph that the Program holds, if any.
Program Compose(Source& source, const GeneratorOptions& all, int long_graph, Features* drawn) {
  GeneratorOptions options = all;
  const Swarm swarm = Swarm::Draw(source, &options);
  if (options.on_devices) options.features.set(static_cast<size_t>(Feature::kDevices));
  if (long_graph > 0) {
    // The twin compares the nodes that sections share, each with each.
    options.features.reset(static_cast<size_t>(Feature::kThreads));
    // The graph of a gradient is larger than that of the value.
    const bool again = options.Has(Feature::kGradOfGrad) && source.Chance(50);
    if (again) long_graph = long_graph * 2 / 5;
    if (!again) options.features.reset(static_cast<size_t>(Feature::kGradOfGrad));
  }
  Draft draft(options, source, swarm);
  // Sizes are spread around the average; the end of a Program takes about six statements.
  const int average = std::max(options.statements, 2);
  const int total = static_cast<int>(source.Between(average / 3, average * 3 / 2));
  const int ending = std::min(6, total / 2);
  draft.SetBudget(total - ending);
  // Where numbers are rounded, the twin often cannot say whether a gradient is NaN.
  const bool anomaly = options.Has(Feature::kAnomaly);
  draft.SetRounding(source.Chance(!swarm.narrows() ? 42 : anomaly ? 15 : 55));
  const bool checks = anomaly && !(swarm.narrows() && draft.rounding());

  for (int64_t leaves = source.Between(1, 2); leaves > 0; --leaves) {
    MakeLeaf(draft, {.grad = true});
  }
  AddBody(draft, total);
  // One Program in some ten thousand is long, which takes as much time as a hundred others.
  const bool may_be_long = swarm.narrows() && options.Has(Feature::kChain);
  if (may_be_long && source.Chance(1) && source.Chance(1)) {
    AddMarked(draft, Feature::kChain, AddLongChain);
  }
  const int before = draft.num_statements();
  if (long_graph > 0 && all.Has(Feature::kChain)) AddLongGraph(draft, long_graph);
  const int of_long = draft.num_statements() - before;
  if (of_long > 0) draft.Mark(Feature::kChain);

  // An error that the Program survives is placed before its calls.
  if (options.Has(Feature::kError) && source.Chance(swarm.Percent(Feature::kError, 3))) {
    AddMarked(draft, Feature::kError, AddSurvivedError);
  }
  draft.SetBudget(total + of_long);
  if (checks && source.Chance(swarm.Percent(Feature::kAnomaly, swarm.narrows() ? 10 : 3))) {
    AddMarked(draft, Feature::kAnomaly, AddAnomaly);
  }
  if (options.Has(Feature::kThreads) && source.Chance(swarm.Percent(Feature::kThreads, 5))) {
    AddMarked(draft, Feature::kThreads, AddThreads);
  }
  bool ended = false;
  if (options.Has(Feature::kGradOfGrad) && source.Chance(swarm.narrows() ? 88 : 75)) {
    // Sometimes after calls that keep the graph.
    if (options.Has(Feature::kCalls) && source.Chance(10)) {
      AddMarked(draft, Feature::kCalls, AddCalls);
    }
    ended = AddGradOfGrad(draft);
    if (ended) draft.Mark(Feature::kGradOfGrad);
  }
  if (!ended || source.Chance(8)) AddCalls(draft);
  if (options.Has(Feature::kError) && source.Chance(swarm.Percent(Feature::kError, 5))) {
    AddMarked(draft, Feature::kError, AddError);
  }
  const bool may_fail = options.Has(Feature::kError) && checks;
  if (may_fail && source.Chance(2)) {
    AddMarked(draft, Feature::kAnomaly, AddNanGradient);
  }
  if (drawn != nullptr) *drawn = draft.drawn();
  return Finished(draft);
}

}  // namespace

Program Generate(Source& source, const GeneratorOptions& options, Features* drawn) {
  return Compose(source, options, 0, drawn);
}

Program Generate(uint64_t seed, const GeneratorOptions& options, Features* drawn) {
  Source source = Source::FromSeed(seed);
  return Compose(source, options, IsLongSample(seed) ? options.long_graph : 0, drawn);
}

bool IsLongSample(uint64_t seed) {
  // Other bits than those that decide on balls and laws.
  return (seed * 0xd1342543de82ef95u) >> 32 < (uint64_t{1} << 32) / kLongSample;
}

}  // namespace twingrad::generators
