// clone, detach, cast and to; and the writes copy_ and zero_. All element types.
//
//   Tensor y = ops::Cast(x, DType::kF32);
//   ops::CopyInPlace(row, y);             // row becomes y, with y's history
//
// detach shares storage and version, has no history and is no view for autograd. The gradient of
// what copy_ and zero_ overwrite is dropped.

#ifndef AUTOGRAD_OPS_COPY_H_
#define AUTOGRAD_OPS_COPY_H_

#include "autograd/base/device.h"
#include "autograd/base/dtype.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

Tensor Clone(const Tensor& a);
Tensor Detach(const Tensor& a);
// Float to integer saturates, NaN becomes 0. Recorded where both types are floating.
Tensor Cast(const Tensor& a, DType dtype);
// Always a copy.
Tensor To(const Tensor& a, Device device);

// `other` is broadcast; both have one element type and device.
void CopyInPlace(Tensor& self, const Tensor& other);
void ZeroInPlace(Tensor& self);

}  // namespace twingrad::ops

#endif  // AUTOGRAD_OPS_COPY_H_
