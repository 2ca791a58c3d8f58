#include "autograd/ops/broadcast.h"

#include "autograd/ops/geometry.h"
#include "autograd/ops/recording.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/reduce.h"

namespace twingrad::ops {

Tensor SumTo(const Tensor& a, Ints shape) {
  if (a.sizes() == shape) return a;
  Tensor result = kernels::SumTo(a, shape);
  if (ShouldRecord(a)) {
    Record("SumToBackward", result, a,
           [sizes = SizesOf(a)](const Tensor& g) { return ExpandTo(g, sizes); });
  }
  return result;
}

Tensor ExpandTo(const Tensor& a, Ints shape) {
  if (a.sizes() == shape) return a;
  Tensor result = a.AsStrided(shape, kernels::StridesFor(a, shape), a.storage_offset());
  if (ShouldRecord(a)) {
    Record("ExpandToBackward", result, a,
           [sizes = SizesOf(a)](const Tensor& g) { return SumTo(g, sizes); });
  }
  return result;
}

void BroadcastUndo::Remember(const Tensor& operand) {
  shape_ = std::make_unique<const Shape>(SizesOf(operand));
}

}  // namespace twingrad::ops
