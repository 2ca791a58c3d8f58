// matmul, differentiable.
//
//   Tensor c = ops::Matmul(a, b);   // [..,m,k] x [..,k,n] -> [..,m,n]
//
// Ranks 1 to 4; an operand of rank 1 is a row on the left and a column on the right; leading
// dimensions are broadcast.

#ifndef AUTOGRAD_OPS_LINEAR_ALGEBRA_H_
#define AUTOGRAD_OPS_LINEAR_ALGEBRA_H_

#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

Tensor Matmul(const Tensor& a, const Tensor& b);

// a + b c for matrices b and c; a is broadcast to their product.
Tensor Addmm(const Tensor& a, const Tensor& b, const Tensor& c);

}  // namespace twingrad::ops

#endif  // AUTOGRAD_OPS_LINEAR_ALGEBRA_H_
