// Adding gradients to `.grad`. See grad_slot.h.

#include "autograd/graph/grad_slot.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/graph/basic_nodes.h"
#include "autograd/graph/inference_mode.h"
#include "autograd/graph/thread_state.h"
#include "autograd/graph/variable.h"
#include "autograd/graph/warning.h"
#include "autograd/tensor/kernels/arithmetic.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/sparse.h"

namespace twingrad {
namespace {

Tensor CastTo(DType dtype, const Tensor& gradient) {
  if (ShouldRecord(gradient)) {
    throw Error(ErrorKind::kDType,
                absl::StrCat("[graph] a gradient ", DTypeName(gradient.dtype()),
                             " with history for a .grad that is ", DTypeName(dtype),
                             "; under create_graph all gradients of a leaf have one dtype; give it "
                             "one with SetGradDType"));
  }
  return gradient.is_sparse() ? kernels::CastSparse(gradient, dtype)
                              : kernels::Cast(gradient, dtype);
}

}  // namespace

Tensor GradSlot::Get() const {
  sync::MutexLock lock(mutex_);
  return grad_.Read();
}

// Tensors that leave the slot are destroyed after the lock is given up: their graphs may end with
// them, and other slots with those.

void GradSlot::Set(Tensor grad) {
  Tensor before;
  Tensor refused;
  sync::MutexLock lock(mutex_);
  if (closed_.Read()) refused = std::move(grad);
  misfits_.Write(grad.defined() && !layout_.Read().Fits(grad));
  before = std::exchange(grad_.Mutable(), std::move(grad));
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
  if (active) moved_.Write(false);
}

void GradSlot::MoveIntoGraph() {
  sync::MutexLock lock(mutex_);
  moved_.Write(true);
}

void GradSlot::CheckNotMoved() const {
  if (!moved_.Read()) return;
  throw Error(ErrorKind::kLeafInPlace,
              "[graph] a gradient arrives at a leaf that has changed since its graph was built: a "
              "write in place has made it a result of recorded operations, or its data has another "
              "type; a leaf stays as it is while graphs lead to it; write to a clone() instead");
}

Tensor GradSlot::SumWith(const Tensor& gradient) const {
  const Tensor& before = grad_.Read();
  return before.defined() ? GradientAdd(before, gradient, layout_.Read())
                          : GradientClone(gradient, layout_.Read());
}

Tensor GradSlot::Owned(Tensor gradient) const {
  if (IsHeldAlone(gradient) && layout_.Read().Fits(gradient)) return gradient;
  return layout_.Read().Clone(gradient);
}

Tensor GradSlot::AddSparse(const Tensor& gradient) {
  Tensor& sum = grad_.Mutable();
  bool done = true;
  if (!sum.is_sparse()) {
    kernels::AddSparseInto(sum, gradient);
  } else {
    done = gradient.is_sparse() && kernels::AddIntoSparse(sum, gradient);
  }
  if (!done) return std::exchange(sum, layout_.Read().Add(sum, gradient));
  sum.BumpVersion();
  return Tensor();
}

void GradSlot::SetLayout(GradLayout layout) {
  sync::MutexLock lock(mutex_);
  layout_.Write(std::move(layout));
  misfits_.Write(grad_.Read().defined() && !layout_.Read().Fits(grad_.Read()));
}

// The handler of warnings may be the user's, so it is called without the lock.
Tensor GradSlot::Accumulate(Tensor gradient) {
  bool misfits = false;
  Tensor sum = Add(std::move(gradient), &misfits);
  if (misfits) [[unlikely]] {
    Warn(absl::StrCat(kLayoutWarning, ", with strides ", ShapeToString(sum.strides()),
                      " for a shape of ", ShapeToString(sum.sizes()),
                      "; the sum is right, but the two are not walked alike, which is slower; set "
                      "a .grad with the leaf's strides"));
  }
  return sum;
}

Tensor GradSlot::Add(Tensor gradient, bool* misfits) {
  Tensor before;
  if (GradMode::IsEnabled()) MakeAccumulator(gradient);
  sync::MutexLock lock(mutex_);
  if (turns_.Read() != nullptr && !AwaitTurn(gradient)) return Tensor();
  if (closed_.Read()) return Tensor();
  CheckNotMoved();
  if (!active_.Read()) return Tensor();
  // Only where the leaf takes gradients of any dtype.
  if (grad_.Read().defined() && grad_.Read().dtype() != gradient.dtype()) [[unlikely]] {
    gradient = CastTo(grad_.Read().dtype(), gradient);
  }
  // Under grad mode the sum is another tensor, in the leaf's layout.
  if (misfits_.Read()) [[unlikely]] {
    *misfits = !GradMode::IsEnabled();
    misfits_.Write(false);
  }
  if (GradMode::IsEnabled()) {
    Tensor after = SumWith(gradient);
    before = std::exchange(grad_.Mutable(), std::move(after));
  } else if (!grad_.Read().defined()) {
    grad_.Write(Owned(std::move(gradient)));
  } else if (gradient.is_sparse() || grad_.Read().is_sparse()) {
    before = AddSparse(gradient);
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

Tensor GradSlot::Retain(const Tensor& gradient) {
  Tensor before;
  if (GradMode::IsEnabled()) MakeAccumulator(gradient);
  sync::MutexLock lock(mutex_);
  if (closed_.Read()) return Tensor();
  Tensor after = SumWith(gradient);
  before = std::exchange(grad_.Mutable(), after);
  return after;
}

}  // namespace twingrad
