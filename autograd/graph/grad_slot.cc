// Adding gradients to `.grad`. See grad_slot.h.

#include "autograd/graph/grad_slot.h"

#include <utility>

#include "autograd/graph/basic_nodes.h"
#include "autograd/graph/inference_mode.h"
#include "autograd/graph/thread_state.h"
#include "autograd/tensor/kernels/arithmetic.h"
#include "autograd/tensor/kernels/copy.h"

namespace twingrad {

Tensor GradSlot::Get() const {
  sync::MutexLock lock(mutex_);
  return grad_.Read();
}

// Tensors that leave the slot are destroyed after the lock is given up: their graphs may end with
// them, and other slots with those.

void GradSlot::Set(Tensor grad) {
  Tensor before;
  sync::MutexLock lock(mutex_);
  before = std::exchange(grad_.Mutable(), closed_.Read() ? Tensor() : std::move(grad));
}

void GradSlot::Close() {
  Tensor before;
  sync::MutexLock lock(mutex_);
  closed_.Write(true);
  before = std::exchange(grad_.Mutable(), Tensor());
}

void GradSlot::SetActive(bool active) {
  sync::MutexLock lock(mutex_);
  active_.Write(active);
}

Tensor GradSlot::SumWith(const Tensor& gradient) const {
  const Tensor& before = grad_.Read();
  return before.defined() ? GradientAdd(before, gradient) : GradientClone(gradient);
}

Tensor GradSlot::Accumulate(Tensor gradient) {
  Tensor before;
  sync::MutexLock lock(mutex_);
  if (closed_.Read() || !active_.Read()) return Tensor();
  if (GradMode::IsEnabled()) {
    Tensor after = SumWith(gradient);
    before = std::exchange(grad_.Mutable(), std::move(after));
  } else if (!grad_.Read().defined()) {
    grad_.Write(IsPrivate(gradient) ? std::move(gradient) : kernels::Clone(gradient));
  } else {
    if (grad_.Read().impl()->is_inference() && !InferenceMode::IsEnabled()) {
      Tensor after = kernels::Add(grad_.Read(), gradient);
      before = std::exchange(grad_.Mutable(), std::move(after));
      return grad_.Read();
    }
    Tensor& sum = grad_.Mutable();
    if (sum.HasSameStorage(gradient)) gradient = kernels::Clone(gradient);
    kernels::AddInto(sum, gradient);
    sum.BumpVersion();
  }
  return grad_.Read();
}

void GradSlot::Retain(const Tensor& gradient) {
  Tensor before;
  sync::MutexLock lock(mutex_);
  if (closed_.Read()) return;
  Tensor after = SumWith(gradient);
  before = std::exchange(grad_.Mutable(), std::move(after));
}

}  // namespace twingrad
