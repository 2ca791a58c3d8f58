// exp, log, sqrt, sin, cos, tanh and sigmoid, differentiable; f32 and f64.
//
//   Tensor y = ops::Tanh(x);
//   ops::ExpInPlace(y);        // y becomes exp(y)

#ifndef AUTOGRAD_OPS_ELEMENTARY_H_
#define AUTOGRAD_OPS_ELEMENTARY_H_

#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

Tensor Exp(const Tensor& a);
Tensor Log(const Tensor& a);
Tensor Sqrt(const Tensor& a);
Tensor Sin(const Tensor& a);
Tensor Cos(const Tensor& a);
Tensor Tanh(const Tensor& a);
Tensor Sigmoid(const Tensor& a);

void ExpInPlace(Tensor& self);
void SqrtInPlace(Tensor& self);
void SinInPlace(Tensor& self);
void CosInPlace(Tensor& self);
void TanhInPlace(Tensor& self);
void SigmoidInPlace(Tensor& self);

}  // namespace twingrad::ops

#endif  // AUTOGRAD_OPS_ELEMENTARY_H_
