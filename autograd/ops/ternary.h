// addcmul, addcdiv and lerp, differentiable.
//
//   Tensor y = ops::Lerp(a, b, weight);
//
// The operands are broadcast against each other and have one type and device. Errors: kUndefined
// for an undefined operand, kDType for types that differ or are not taken, kDevice for devices that
// differ, kShape for shapes that do not fit.

#pragma once

#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// a + b c; numbers.
Tensor Addcmul(const Tensor& a, const Tensor& b, const Tensor& c);
// a + b / c; floats.
Tensor Addcdiv(const Tensor& a, const Tensor& b, const Tensor& c);
// a + weight (b - a); floats.
Tensor Lerp(const Tensor& a, const Tensor& b, const Tensor& weight);

}  // namespace twingrad::ops
