// Adding gradients to `.grad`. See grad_slot.h.

#include "autograd/graph/grad_slot.h"

#include <utility>

#include "autograd/graph/basic_nodes.h"
#include "autograd/graph/grad_mode.h"
#include "autograd/tensor/kernels/arithmetic.h"
#include "autograd/tensor/kernels/copy.h"

namespace autograd {
namespace {

// Whether nobody else can see or change the tensor's memory, so that `.grad` may take it over.
bool MayBeTaken(const Tensor& gradient) {
  return gradient.IsUniquelyOwned() && gradient.OwnsStorageAlone() && gradient.IsContiguous() &&
         gradient.impl()->meta() == nullptr;
}

}  // namespace

Tensor GradSlot::Get() const {
  sync::MutexLock lock(mutex_);
  return grad_;
}

// Tensors that leave the slot are destroyed after the lock is given up: their graphs may end with
// them, and other slots with those.

void GradSlot::Set(Tensor grad) {
  Tensor before;
  sync::MutexLock lock(mutex_);
  before = std::exchange(grad_, closed_ ? Tensor() : std::move(grad));
}

void GradSlot::Close() {
  Tensor before;
  sync::MutexLock lock(mutex_);
  closed_ = true;
  before = std::exchange(grad_, Tensor());
}

void GradSlot::SetActive(bool active) {
  sync::MutexLock lock(mutex_);
  active_ = active;
}

Tensor GradSlot::Accumulate(Tensor gradient) {
  Tensor before;
  sync::MutexLock lock(mutex_);
  if (closed_ || !active_) return Tensor();
  if (GradMode::IsEnabled()) {
    Tensor after = grad_.defined() ? GradientAdd(grad_, gradient) : GradientClone(gradient);
    before = std::exchange(grad_, std::move(after));
  } else if (!grad_.defined()) {
    grad_ = MayBeTaken(gradient) ? std::move(gradient) : kernels::Clone(gradient);
  } else {
    if (grad_.HasSameStorage(gradient)) gradient = kernels::Clone(gradient);
    kernels::AddInto(grad_, gradient);
    grad_.BumpVersion();
  }
  return grad_;
}

void GradSlot::Retain(const Tensor& gradient) {
  Tensor before;
  sync::MutexLock lock(mutex_);
  if (closed_) return;
  Tensor after = grad_.defined() ? GradientAdd(grad_, gradient) : GradientClone(gradient);
  before = std::exchange(grad_, std::move(after));
}

}  // namespace autograd
