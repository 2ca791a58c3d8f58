// exp, log, sqrt, sin, cos, tanh and sigmoid, differentiable.
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

}  // namespace twingrad::ops
