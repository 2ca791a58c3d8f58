// GradSlot: the place of a tensor's `.grad`.
//
// The tensor's AutogradMeta and the node that writes `.grad` share it, so the node need not own the
// tensor. The tensor closes the slot when it is destroyed, which breaks the reference cycle from
// the tensor over its `.grad`, the graph of that and the node back to the tensor.

#pragma once

#include "autograd/sync/annotations.h"
#include "autograd/sync/cell.h"
#include "autograd/sync/mutex.h"
#include "autograd/sync/ref_count.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

class GradSlot : public sync::RefCounted<GradSlot> {
 public:
  Tensor Get() const AG_EXCLUDES(mutex_);
  void Set(Tensor grad) AG_EXCLUDES(mutex_);
  // Drops the stored gradient and all later ones.
  void Close() AG_EXCLUDES(mutex_);
  // Whether gradients are accepted (a leaf whose requires_grad was turned off accepts none).
  void SetActive(bool active) AG_EXCLUDES(mutex_);

  // Adds a gradient of a leaf: in place if nobody else can see the memory, out of place and with
  // history in grad mode. Never aliases `gradient` with memory that others use. Returns the new
  // `.grad`, undefined if the gradient was not accepted.
  Tensor Accumulate(Tensor gradient) AG_EXCLUDES(mutex_);
  // Stores a copy of `gradient`, or the sum with what is there, out of place.
  void Retain(const Tensor& gradient) AG_EXCLUDES(mutex_);

 private:
  // The sum of the stored gradient and `gradient`, out of place.
  Tensor SumWith(const Tensor& gradient) const AG_REQUIRES(mutex_);

  mutable sync::Mutex mutex_{"grad_slot"};
  sync::Cell<Tensor> grad_ AG_GUARDED_BY(mutex_);
  sync::Cell<bool> active_ AG_GUARDED_BY(mutex_){true};
  sync::Cell<bool> closed_ AG_GUARDED_BY(mutex_){false};
};

}  // namespace twingrad
