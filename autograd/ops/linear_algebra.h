// matmul, bmm, dot, outer, sums with these, and linear, differentiable.
//
//   Tensor c = ops::Matmul(a, b);   // [..,m,k] x [..,k,n] -> [..,m,n]
//
// Numbers; integers wrap. Operands have one type and device, and so has the result. Errors:
// kUndefined for an undefined operand, kDType and kDevice where operands differ or bool is given,
// kShape where ranks or sizes do not fit.

#pragma once

#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// Of two vectors, of as many matrices each, and each element by each: matmul's, of one rank each.
Tensor Dot(const Tensor& a, const Tensor& b);
Tensor Bmm(const Tensor& a, const Tensor& b);
Tensor Outer(const Tensor& a, const Tensor& b);

// Ranks 1 to 4. An operand of rank 1 is a row on the left and a column on the right, and its
// dimension does not appear in the result; leading dimensions are broadcast.
Tensor Matmul(const Tensor& a, const Tensor& b);

// a + b c for matrices b [m,k] and c [k,n]; a is broadcast to their product [m,n].
Tensor Addmm(const Tensor& a, const Tensor& b, const Tensor& c);
// The same of a matrix and a vector; of two vectors, by outer; of as many matrices each, by bmm;
// and of the sum of these matrices.
Tensor Addmv(const Tensor& a, const Tensor& b, const Tensor& c);
Tensor Addr(const Tensor& a, const Tensor& b, const Tensor& c);
Tensor Baddbmm(const Tensor& a, const Tensor& b, const Tensor& c);
Tensor Addbmm(const Tensor& a, const Tensor& b, const Tensor& c);

// a weightᵀ + bias for a [..,I], weight [O,I] and bias [O] or undefined: [..,O].
Tensor Linear(const Tensor& a, const Tensor& weight, const Tensor& bias);

}  // namespace twingrad::ops
