// exp, log, sqrt, sin, cos, tanh, sigmoid and what is made of them, differentiable.
//
//   Tensor y = ops::Tanh(x);
//   ops::ExpInPlace(y);        // y becomes exp(y)
//
// Operands are f32 or f64 of any shape; the result has the operand's shape, type and device.
// Errors: kUndefined for an undefined operand, kDType for i64 and bool; in place also those of
// CheckInPlace (graph/view.h): kLeafInPlace for a leaf that requires grad, kInvalidArgument for
// elements that share a place.

#pragma once

#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

Tensor Exp(const Tensor& a);
void ExpInPlace(Tensor& self);

// NaN below 0, -inf at 0.
Tensor Log(const Tensor& a);

// NaN below 0.
Tensor Sqrt(const Tensor& a);
void SqrtInPlace(Tensor& self);

Tensor Sin(const Tensor& a);
void SinInPlace(Tensor& self);

Tensor Cos(const Tensor& a);
void CosInPlace(Tensor& self);

Tensor Tanh(const Tensor& a);
void TanhInPlace(Tensor& self);

// 1 / (1 + e^-a).
Tensor Sigmoid(const Tensor& a);
void SigmoidInPlace(Tensor& self);

// 2/√π times the integral of e^-t² from 0 to a.
Tensor Erf(const Tensor& a);
Tensor Erfc(const Tensor& a);
// e^a - 1 and log(1 + a), with all digits beside 0; of log1p NaN below -1, -inf at -1.
Tensor Expm1(const Tensor& a);
Tensor Log1p(const Tensor& a);

// The logarithms to the bases 2 and 10: NaN below 0, -inf at 0. 2^a.
Tensor Log2(const Tensor& a);
Tensor Log10(const Tensor& a);
Tensor Exp2(const Tensor& a);

// 1 / √a: NaN below 0, inf at 0.
Tensor Rsqrt(const Tensor& a);
Tensor Reciprocal(const Tensor& a);
// i64 too, which wraps.
Tensor Square(const Tensor& a);

}  // namespace twingrad::ops
