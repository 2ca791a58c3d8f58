// add, sub, mul, div, pow and neg, differentiable.
//
//   Tensor c = ops::Mul(a, b);    // with history where an operand requires grad
//   ops::AddInPlace(c, a);        // c becomes c + a
//
// Shapes: the operands are broadcast against each other; the result has the common shape. Types and
// devices: both operands have the same, and the result has them too. Integer arithmetic wraps.
// Errors: kUndefined for an undefined operand, kDType for types that differ or are not taken,
// kDevice for devices that differ, kShape for shapes that do not fit. In place the result must
// have self's shape (else kShape), and CheckInPlace (graph/view.h) must allow the write
// (kLeafInPlace, kInvalidArgument).

#pragma once

#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// Numbers.
Tensor Add(const Tensor& a, const Tensor& b);
void AddInPlace(Tensor& self, const Tensor& other);

// Numbers.
Tensor Sub(const Tensor& a, const Tensor& b);
void SubInPlace(Tensor& self, const Tensor& other);

// Numbers.
Tensor Mul(const Tensor& a, const Tensor& b);
void MulInPlace(Tensor& self, const Tensor& other);

// Floats.
Tensor Div(const Tensor& a, const Tensor& b);
void DivInPlace(Tensor& self, const Tensor& other);

// Numbers; a negative integer exponent that meets an element is kDomain. Gradients are those
// of a^b wherever it is smooth, to any order. Of 0 (or NaN) to the power of 0 the gradient of the
// base is 0, and of 0 to a power that is not negative that of the exponent.
Tensor Pow(const Tensor& a, const Tensor& b);

// Numbers.
Tensor Neg(const Tensor& a);
void NegInPlace(Tensor& self);

// A scalar with the element type and device of `like`, for the constants of derivatives.
Tensor Constant(double value, const Tensor& like);

}  // namespace twingrad::ops
