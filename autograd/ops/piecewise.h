// where, maximum, minimum, relu, abs, sgn and clamp: functions whose derivative is a mask.
//
//   Tensor y = ops::Where(condition, a, b);
//
// Masks are constants: no gradient passes through them. At their kinks: relu'(0) = 0, abs'(0) = 0,
// and at a tie maximum and minimum give half of the gradient to each side; at its limits clamp
// has none. NaN passes through all of them but sgn, which makes it 0.

#ifndef AUTOGRAD_OPS_PIECEWISE_H_
#define AUTOGRAD_OPS_PIECEWISE_H_

#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// condition ? a : b, broadcast; the condition is bool and has no gradient.
Tensor Where(const Tensor& condition, const Tensor& a, const Tensor& b);
Tensor Maximum(const Tensor& a, const Tensor& b);
Tensor Minimum(const Tensor& a, const Tensor& b);
Tensor Sgn(const Tensor& a);
// Within [low, high]; infinite where there is no limit.
Tensor Clamp(const Tensor& a, double low, double high);
Tensor Relu(const Tensor& a);
Tensor Abs(const Tensor& a);

void ReluInPlace(Tensor& self);
void AbsInPlace(Tensor& self);

}  // namespace twingrad::ops

#endif  // AUTOGRAD_OPS_PIECEWISE_H_
