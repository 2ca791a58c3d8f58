// Regions of anomaly mode: around calls whose gradients are numbers, which must then show nothing
// of it, and around calls in which some node returns NaN.

#include <bit>
#include <cstdint>
#include <limits>
#include <string>

#include "autograd/program/region.h"
#include "proptests/generators/calls.h"
#include "proptests/generators/leaf.h"
#include "proptests/generators/parts.h"

namespace twingrad::generators {
namespace {

using twingrad::program::RegionKind;

// A leaf like x whose elements are all `value`; it requires grad, so that fewer statements say the
// same once a Program is minimized.
ValueId MakeConstant(Draft& draft, ValueId x, double value) {
  const Bits bits(static_cast<size_t>(draft.NumElements(x)), std::bit_cast<uint64_t>(value));
  return draft.Leaf({draft.DTypeOf(x), draft.ShapeOf(x)}, bits, /*grad=*/true, draft.DeviceOf(x),
                    {});
}

// An op on x whose gradient is NaN, or whose gradient is NaN if the next is 0 or infinite; what it
// gives is a number, or not.
ValueId AddSingular(Draft& draft, ValueId x) {
  Source& source = draft.source();
  const double inf = std::numeric_limits<double>::infinity();
  const double factor =
      source.Pick({std::numeric_limits<double>::quiet_NaN(), inf, -inf, 0.0, 1.0});
  const ValueId constant = MakeConstant(draft, x, factor);
  if (constant == kNoValue) return kNoValue;
  return draft.Op(source.Pick({Opcode::kMul, Opcode::kMul, Opcode::kDiv}), {x, constant});
}

// A call from x. Sometimes x is there twice, with NaN for a seed: that is in the result of the node
// above the roots. Sometimes what the node of x returns is replaced, after which it is no NaN.
void AddCheckedCall(Draft& draft, ValueId x) {
  Source& source = draft.source();
  const GeneratorOptions& options = draft.options();
  Draft::Call call = CallFrom(draft, x);
  if (options.Has(Feature::kSeveralRoots) && source.Chance(25)) {
    const ValueId seed = MakeConstant(draft, x, std::numeric_limits<double>::quiet_NaN());
    if (seed != kNoValue) {
      call.roots = {x, x};
      call.seeds = {seed, seed};
      draft.Mark(Feature::kSeveralRoots);
    }
  } else if (options.Has(Feature::kHook) && source.Chance(15) &&
             draft.Add(Opcode::kPostHook, {x}, {{Key::kDo, std::string("undefined")}})) {
    draft.Mark(Feature::kHook);
  }
  draft.AddCall(call);
}

}  // namespace

void AddAnomaly(Draft& draft) {
  const ValueId root = PickRoot(draft);
  if (root == kNoValue) return;
  if (!draft.Begin(RegionKind::kAnomaly)) return;
  if (draft.source().Chance(50)) AddChain(draft);
  // Also over graphs that create_graph made.
  const bool second_order = draft.options().Has(Feature::kGradOfGrad) && draft.source().Chance(50);
  if (second_order && AddGradOfGrad(draft)) {
    draft.Mark(Feature::kGradOfGrad);
  } else {
    AddCalls(draft);
  }
  draft.Add(Opcode::kEnd, {});
}

void AddNanGradient(Draft& draft) {
  Source& source = draft.source();
  ValueId x = draft.PickDifferentiable();
  if (x == kNoValue) return;
  // The mode may cover the forward computation or not.
  const bool early = source.Chance(50);
  if (early && !draft.Begin(RegionKind::kAnomaly)) return;
  for (int64_t ops = source.Between(1, 3); ops > 0 && x != kNoValue; --ops) {
    x = AddSingular(draft, x);
  }
  if (!early && !draft.Begin(RegionKind::kAnomaly)) return;
  if (x != kNoValue) AddCheckedCall(draft, x);
  draft.Add(Opcode::kEnd, {});
}

}  // namespace twingrad::generators
