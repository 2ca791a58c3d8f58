// clone, detach, cast and to; and the writes copy_ and zero_. All element types.
//
//   Tensor y = ops::Cast(x, DType::kF32);
//   ops::CopyInPlace(row, y);             // row becomes y, with y's history
//
// Results have the operand's shape. Errors: kUndefined for an undefined operand; in place also
// those of CheckInPlace (graph/view.h). The gradient of what copy_ and zero_ overwrite is dropped.

#pragma once

#include "autograd/base/device.h"
#include "autograd/base/dtype.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// A contiguous copy.
Tensor Clone(const Tensor& a);
// Shares storage and version, has no history and is no view for autograd.
Tensor Detach(const Tensor& a);
// A copy, of another element type where that differs. Float to integer saturates, NaN becomes 0.
// Recorded where both types are floating.
Tensor Cast(const Tensor& a, DType dtype);
// A copy on `device`, also where a lies there already.
Tensor To(const Tensor& a, Device device);

// `other` is broadcast to self's shape (else kShape); both have one element type (else kDType) and
// device (else kDevice).
void CopyInPlace(Tensor& self, const Tensor& other);
void ZeroInPlace(Tensor& self);

}  // namespace twingrad::ops
