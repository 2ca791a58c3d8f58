// silu, softplus and gelu, and functions of several pieces, differentiable.
//
//   Tensor y = ops::Gelu(x);
//
// Operands are f32 or f64 of any shape; the result has the operand's shape, type and device. At
// infinite operands value and derivatives are the limits there. Errors: kUndefined for an undefined
// operand, kDType for i64 and bool.

#pragma once

#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// a / (1 + e^-a).
Tensor Silu(const Tensor& a);
// log(1 + e^a).
Tensor Softplus(const Tensor& a);
// a times the distribution function of the normal distribution.
Tensor Gelu(const Tensor& a);
// Its approximation a (1 + tanh(√(2/π) (a + 0.044715 a³))) / 2.
Tensor GeluTanh(const Tensor& a);
// a where it is above 0; else by a, and by (e^a - 1). `by` is above 0. At 0 the slope is `by`.
Tensor LeakyRelu(const Tensor& a, double by);
Tensor Elu(const Tensor& a, double by);
// a above 0, else by (e^(a / by) - 1), by above 0: the slope at 0 is 1.
Tensor Celu(const Tensor& a, double by);
// 1.0507… times elu by 1.6732…
Tensor Selu(const Tensor& a);
// a within low and high, low < high; within 0 and 6; and (a + 3) / 6 within 0 and 1. At the limits
// the slope is 0.
Tensor Hardtanh(const Tensor& a, double low, double high);
Tensor Relu6(const Tensor& a);
Tensor Hardsigmoid(const Tensor& a);

}  // namespace twingrad::ops
