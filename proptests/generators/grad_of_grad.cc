#include "proptests/generators/grad_of_grad.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "proptests/generators/operation.h"
#include "proptests/generators/root.h"

namespace twingrad::generators {
namespace {

using Inputs = absl::InlinedVector<ValueId, 2>;

// Up to two inputs whose gradient can be differentiated again.
Inputs DifferentiableInputs(Draft& draft, const Draft::Call& call) {
  Inputs all;
  for (ValueId v = 0; v < draft.num_values(); ++v) {
    if (!draft[v].usable || !draft.IsFloating(v) || draft.NodeOf(v) == kNoNode) continue;
    if (!draft[v].leaf && !draft.source().Chance(15)) continue;
    if (draft.Gradient(call, v).requires_grad) all.push_back(v);
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

// The root made nonlinear: its square.
ValueId Square(Draft& draft, ValueId root) {
  if (!draft.options().Has(Opcode::kMul)) return kNoValue;
  return draft.Op(Opcode::kMul, {root, root});
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
  Draft::Call call;
  call.roots = {root};
  const bool implicit = draft.NumElements(root) == 1;
  call.seeds = {implicit ? kNoValue : MakeSeed(draft, root)};
  if (draft.options().Has(Feature::kCalls) && source.Chance(25)) {
    draft.Mark(Feature::kCalls);
    call.inputs = PickInputs(draft);
    call.grad = !call.inputs.empty() && source.Chance(60) && draft.options().grad;
    for (ValueId input : call.inputs) {
      if (call.grad && !draft.Gradient(call, input).reached) call.allow_unused = true;
    }
    // Now and then a third derivative.
    call.create_graph = source.Chance(25);
  }
  if (!call.grad && !draft.options().backward) MakeGrad(draft, &call);
  draft.AddCall(call);
}

}  // namespace

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
    root = Square(draft, root);
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
  const ValueId scalar = Contract(draft, gradients);
  if (scalar == kNoValue) return false;
  AddSecondCall(draft, scalar);
  return true;
}

}  // namespace twingrad::generators
