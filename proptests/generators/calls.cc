#include "proptests/generators/calls.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "proptests/generators/alias.h"
#include "proptests/generators/leaf.h"
#include "proptests/generators/operation.h"
#include "proptests/generators/parts.h"

namespace twingrad::generators {

ValueId PickRoot(Draft& draft) {
  absl::InlinedVector<ValueId, 32> candidates;
  for (ValueId v = 0; v < draft.num_values(); ++v) {
    const bool tops = draft[v].usable && draft.IsFloating(v) && draft.RequiresGrad(v);
    if (tops && !draft.IsBroken(v)) candidates.push_back(v);
  }
  if (candidates.empty()) return kNoValue;
  Source& source = draft.source();
  if (source.Chance(20)) return candidates[source.Below(candidates.size())];
  // Of the latest three, the one that depends on the most nodes.
  ValueId best = candidates.back();
  int64_t most = -1;
  for (size_t i = candidates.size(); i > 0 && i + 3 > candidates.size(); --i) {
    const NodeFlags reached = draft.graph().Reached({draft.NodeOf(candidates[i - 1])});
    const int64_t nodes = std::count(reached.begin(), reached.end(), 1);
    if (nodes > most) best = candidates[i - 1];
    most = std::max(most, nodes);
  }
  return best;
}

ValueId MakeSeed(Draft& draft, ValueId root, bool grad) {
  return MakeLeaf(
      draft, {.dtype = draft.DTypeOf(root),
              .shape = draft.ShapeOf(root),
              .device = draft.DeviceOf(root),
              .grad = grad,
              // Fractions show where a gradient was an integer on its way.
              .content = draft.swarm().narrows() && draft.source().Chance(30) ? Content::kFractions
                                                                              : Content::kSmall});
}

Draft::Call CallFrom(Draft& draft, ValueId root) {
  Draft::Call call;
  call.roots = {root};
  if (draft.NumElements(root) != 1) call.seeds = {MakeSeed(draft, root)};
  return call;
}

absl::InlinedVector<ValueId, 2> PickInputs(Draft& draft) {
  Source& source = draft.source();
  absl::InlinedVector<ValueId, 32> leaves;
  absl::InlinedVector<ValueId, 32> results;
  for (ValueId v = 0; v < draft.num_values(); ++v) {
    if (!draft[v].usable || !draft.IsFloating(v) || !draft.RequiresGrad(v)) continue;
    if (draft[v].is_gradient && !source.Chance(20)) continue;
    (draft[v].leaf ? leaves : results).push_back(v);
  }
  absl::InlinedVector<ValueId, 2> inputs;
  for (int64_t i = source.Between(1, 3); i > 0; --i) {
    const auto& from =
        results.empty() || (!leaves.empty() && !source.Chance(30)) ? leaves : results;
    if (from.empty()) break;
    const ValueId input = from[source.Below(from.size())];
    const bool repeated = std::find(inputs.begin(), inputs.end(), input) != inputs.end();
    if (!repeated || source.Chance(15)) inputs.push_back(input);
  }
  return inputs;
}

void AddRoots(Draft& draft, Draft::Call* call) {
  Source& source = draft.source();
  for (int64_t i = source.Between(1, 2); i > 0; --i) {
    const ValueId above = call->roots.front();
    const ValueId root = source.Chance(12) ? above : draft.Pick([&](ValueId v) {
      return v != above && draft.IsFloating(v) && draft.RequiresGrad(v) && !draft.IsBroken(v);
    });
    if (root == kNoValue) return;
    const bool implicit = draft.NumElements(root) == 1 && !source.Chance(30);
    const ValueId seed = implicit ? kNoValue : MakeSeed(draft, root);
    call->seeds.resize(call->roots.size(), kNoValue);
    call->roots.push_back(root);
    call->seeds.push_back(seed);
  }
}

namespace {

bool ReachesAllInputs(Draft& draft, const Draft::Call& call) {
  bool all = true;
  for (const ValueId input : call.inputs) all &= draft.Gradient(call, input).reached;
  return all;
}

// Turns the call into a `grad`, with inputs picked if it has none, unless there are none to pick;
// sets allow_unused where an input is not reached.
void MakeGrad(Draft& draft, Draft::Call* call) {
  if (call->inputs.empty()) call->inputs = PickInputs(draft);
  call->grad = !call->inputs.empty();
  if (!ReachesAllInputs(draft, *call)) call->allow_unused = true;
}

// Now and then a hook on a gradient that a call has returned, or a write to it.
void ActOnGradients(Draft& draft, const std::vector<ValueId>& gradients) {
  Source& source = draft.source();
  for (const ValueId gradient : gradients) {
    if (!draft[gradient].usable) continue;
    if (draft.options().Has(Feature::kHook) && draft.RequiresGrad(gradient) && source.Chance(8)) {
      AddHookOn(draft, gradient);
      draft.Mark(Feature::kHook);
    }
    const bool writes = draft.options().Has(Feature::kInPlace) && source.Chance(8);
    if (writes && draft.MayWrite(gradient)) ApplyInPlace(draft, gradient);
  }
}

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
    if (!ReachesAllInputs(draft, call) && !call.materialize) call.allow_unused = true;
  }
  const bool plain =
      !call.grad && !call.create_graph && call.retain_graph < 0 && call.inputs.empty();
  if (!plain || !last) draft.Mark(Feature::kCalls);
  const std::vector<ValueId> gradients = draft.AddCall(call);
  if (draft.swarm().narrows()) ActOnGradients(draft, gradients);
}

using Inputs = absl::InlinedVector<ValueId, 2>;

// Up to two inputs whose gradient can be differentiated again.
Inputs DifferentiableInputs(Draft& draft, const Draft::Call& call) {
  Inputs all;
  const NodeFlags differentiable = draft.Differentiable(call);
  for (ValueId v = 0; v < draft.num_values(); ++v) {
    if (!draft[v].usable || !draft.IsFloating(v)) continue;
    const NodeIndex node = draft.NodeOf(v);
    if (node == kNoNode) continue;
    if (!draft[v].leaf && !draft.source().Chance(15)) continue;
    // The node of a view that is made anew here lies above all that the call reaches.
    const bool is_new = node >= static_cast<NodeIndex>(differentiable.size());
    if (!is_new && differentiable[node] != 0) all.push_back(v);
  }
  Inputs inputs;
  for (int i = 0; i < 2 && !all.empty(); ++i) {
    const size_t at = draft.source().Below(all.size());
    inputs.push_back(all[at]);
    all.erase(all.begin() + static_cast<int64_t>(at));
    if (!draft.source().Chance(35)) break;
  }
  return inputs;
}

// sum(gradient * v), of all gradients together where they have the same type; kNoValue for none.
ValueId Contract(Draft& draft, const std::vector<ValueId>& gradients) {
  ValueId total = kNoValue;
  for (ValueId gradient : gradients) {
    if (!draft.RequiresGrad(gradient)) continue;
    ValueId term = gradient;
    if (draft.options().Has(Opcode::kMul) && !draft.source().Chance(15)) {
      const ValueId v = MakeSeed(draft, gradient, draft.source().Chance(10));
      const ValueId product = v == kNoValue ? kNoValue : draft.Op(Opcode::kMul, {gradient, v});
      if (product != kNoValue) term = product;
    }
    term = SumAll(draft, term);
    if (term == kNoValue) continue;
    const ValueId sum = total == kNoValue ? term : draft.Op(Opcode::kAdd, {total, term});
    if (sum != kNoValue) total = sum;
  }
  return total;
}

// The same gradients through .grad: backward with create_graph, then read_grad of each.
std::vector<ValueId> ReadGradients(Draft& draft, Draft::Call call) {
  call.grad = false;
  const Inputs read = call.inputs;
  if (draft.source().Chance(60)) call.inputs.clear();
  draft.AddCall(call);
  std::vector<ValueId> gradients;
  for (ValueId input : read) {
    const ValueId gradient = draft.ReadGrad(call, input);
    if (gradient != kNoValue) gradients.push_back(gradient);
  }
  return gradients;
}

// The last call, of `scalar` or of a gradient with a seed.
void AddSecondCall(Draft& draft, ValueId root) {
  Source& source = draft.source();
  Draft::Call call = CallFrom(draft, root);
  if (draft.options().Has(Feature::kCalls) && source.Chance(25)) {
    draft.Mark(Feature::kCalls);
    call.inputs = PickInputs(draft);
    call.grad = !call.inputs.empty() && source.Chance(60) && draft.options().grad;
    if (call.grad && !ReachesAllInputs(draft, call)) call.allow_unused = true;
    // Now and then a third derivative.
    call.create_graph = source.Chance(25);
  }
  if (!call.grad && !draft.options().backward) MakeGrad(draft, &call);
  draft.AddCall(call);
}

}  // namespace

void AddCalls(Draft& draft) {
  Source& source = draft.source();
  const bool several = draft.options().Has(Feature::kCalls) && source.Chance(45);
  // Programs of their own weights come here less often.
  const int given = draft.swarm().narrows() ? 20 : 10;
  if (draft.options().Has(Feature::kCalls) && source.Chance(given)) AddGivenGrad(draft);
  for (int64_t i = several ? source.Between(1, 2) : 0; i > 0 && draft.HasRoom(1); --i) {
    AddCall(draft, /*last=*/false);
    if (source.Chance(20)) AddGivenGrad(draft);
  }
  AddCall(draft, /*last=*/true);
}

bool AddGradOfGrad(Draft& draft) {
  Source& source = draft.source();
  ValueId root = PickRoot(draft);
  if (root == kNoValue) return false;
  Draft::Call call;
  call.grad = true;
  call.create_graph = true;
  const ValueId sum = source.Chance(85) ? SumAll(draft, root) : kNoValue;
  if (sum != kNoValue) root = sum;
  call.roots = {root};
  call.inputs = DifferentiableInputs(draft, call);
  if (call.inputs.empty()) {
    root = draft.Op(Opcode::kMul, {root, root});  // made nonlinear
    if (root == kNoValue) return false;
    call.roots = {root};
    call.inputs = DifferentiableInputs(draft, call);
    if (call.inputs.empty()) return false;
  }
  if (draft.NumElements(root) != 1) call.seeds = {MakeSeed(draft, root, source.Chance(30))};
  // .grad is kept of leaves alone, unless it is asked for.
  const bool leaves =
      std::all_of(call.inputs.begin(), call.inputs.end(), [&](ValueId v) { return draft[v].leaf; });
  const bool readable = draft.options().backward && draft.options().Has(Opcode::kReadGrad);
  const bool through_grad = leaves && readable && (source.Chance(10) || !draft.options().grad);
  const std::vector<ValueId> gradients =
      through_grad ? ReadGradients(draft, call) : draft.AddCall(call);
  if (gradients.empty()) return false;
  if (source.Chance(15)) {
    AddSecondCall(draft, gradients.front());  // a vector-Jacobian product of the gradient itself
    return true;
  }
  ActOnGradients(draft, gradients);
  const ValueId scalar = Contract(draft, gradients);
  if (scalar == kNoValue) return false;
  AddSecondCall(draft, scalar);
  return true;
}

}  // namespace twingrad::generators
