// tan, sinc, the inverse trigonometric and the hyperbolic functions, differentiable.
//
//   Tensor y = ops::Atan(x);
//
// Operands are f32 or f64 of any shape; the result has the operand's shape, type and device, and is
// NaN outside the domain. Errors: kUndefined for an undefined operand, kDType for i64 and bool.

#pragma once

#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

Tensor Tan(const Tensor& a);
// sin(πa) / (πa), and 1 at 0; 0 at infinities, as all of its derivatives.
Tensor Sinc(const Tensor& a);
// Of -1 to 1, where the slope is infinite.
Tensor Asin(const Tensor& a);
Tensor Acos(const Tensor& a);
Tensor Atan(const Tensor& a);

Tensor Sinh(const Tensor& a);
Tensor Cosh(const Tensor& a);
Tensor Asinh(const Tensor& a);
// Of 1, where the slope is infinite, and above.
Tensor Acosh(const Tensor& a);
// Of -1 to 1, where it is infinite.
Tensor Atanh(const Tensor& a);

}  // namespace twingrad::ops
