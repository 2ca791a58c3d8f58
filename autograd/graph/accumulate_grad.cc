// Adding to a leaf's `.grad`, then the leaf's hooks. See accumulate_grad.h.

#include "autograd/graph/accumulate_grad.h"

#include "autograd/graph/hooks.h"

namespace twingrad {

VariableList AccumulateGrad::Apply(VariableList&& gradients) {
  if (!gradients[0].defined()) return {};
  const Tensor grad = slot_->Accumulate(std::move(gradients[0]));
  if (!grad.defined() || extras() == nullptr) return {};
  for (const auto& hook : extras()->accumulate_hooks.Current()) {
    if (!hook->state.removed.Load(sync::kAcquire)) hook->function(grad);
  }
  return {};
}

}  // namespace twingrad
