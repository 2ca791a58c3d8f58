// where, maximum, relu and abs: functions whose derivative is a mask.
//
//   Tensor y = ops::Where(condition, a, b);
//
// Masks are constants: no gradient passes through them. At their kinks: relu'(0) = 0, abs'(0) = 0,
// and at a tie maximum gives half of the gradient to each side. NaN passes through all of them.

#ifndef AUTOGRAD_OPS_PIECEWISE_H_
#define AUTOGRAD_OPS_PIECEWISE_H_

#include "autograd/tensor/tensor.h"

namespace autograd::ops {

// condition ? a : b, broadcast; the condition is bool and has no gradient.
Tensor Where(const Tensor& condition, const Tensor& a, const Tensor& b);
Tensor Maximum(const Tensor& a, const Tensor& b);
Tensor Relu(const Tensor& a);
Tensor Abs(const Tensor& a);

void ReluInPlace(Tensor& self);
void AbsInPlace(Tensor& self);

}  // namespace autograd::ops

#endif  // AUTOGRAD_OPS_PIECEWISE_H_
