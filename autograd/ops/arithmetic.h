// add, sub, mul, div, pow and neg, differentiable.
//
//   Tensor c = ops::Mul(a, b);    // with history where an operand requires grad
//   ops::AddInPlace(c, a);        // c becomes c + a
//
// Operands of one element type on one device, broadcast; in place the result must keep self's
// shape. The gradient of pow by its base is 0 where the exponent is 0, by its exponent 0 where the
// base is 0 and the exponent not negative.

#ifndef AUTOGRAD_OPS_ARITHMETIC_H_
#define AUTOGRAD_OPS_ARITHMETIC_H_

#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

Tensor Add(const Tensor& a, const Tensor& b);
Tensor Sub(const Tensor& a, const Tensor& b);
Tensor Mul(const Tensor& a, const Tensor& b);
Tensor Div(const Tensor& a, const Tensor& b);
Tensor Pow(const Tensor& a, const Tensor& b);
Tensor Neg(const Tensor& a);

void AddInPlace(Tensor& self, const Tensor& other);
void SubInPlace(Tensor& self, const Tensor& other);
void MulInPlace(Tensor& self, const Tensor& other);
void DivInPlace(Tensor& self, const Tensor& other);
void NegInPlace(Tensor& self);

// A scalar with the element type and device of `like`, for the constants of derivatives.
Tensor Constant(double value, const Tensor& like);

}  // namespace twingrad::ops

#endif  // AUTOGRAD_OPS_ARITHMETIC_H_
