// where, maximum, minimum, relu, abs, sgn and clamp: functions whose derivative is a mask.
//
//   Tensor y = ops::Where(condition, a, b);
//
// Masks are constants: no gradient passes through them. Gradients at the kinks: 0 for relu and abs
// at 0 and for clamp at its limits; half to each side for maximum and minimum at a tie. NaN passes
// through all of them but sgn, which makes it 0.
//
// Functions of one operand keep its shape, type and device; of several, all have one device, are
// broadcast against each other, and the result has the common shape. Errors: kUndefined for an
// undefined operand, kDType for types that differ or are not taken, kDevice for devices that
// differ, kShape for shapes that do not fit; in place also those of CheckInPlace (graph/view.h).

#pragma once

#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// condition ? a : b. The condition is bool and has no gradient; a and b are both f32, f64 or i64.
Tensor Where(const Tensor& condition, const Tensor& a, const Tensor& b);
// `by` where the condition is true, else a; `by` must be a finite number of a's type.
Tensor MaskedFill(const Tensor& condition, const Tensor& a, double by);

// Numbers, the same for both.
Tensor Maximum(const Tensor& a, const Tensor& b);
Tensor Minimum(const Tensor& a, const Tensor& b);

// -1, 0 or 1. Numbers.
Tensor Sgn(const Tensor& a);

// Within [low, high]; infinite where there is no limit. Floats.
Tensor Clamp(const Tensor& a, double low, double high);

// Numbers.
Tensor Relu(const Tensor& a);
void ReluInPlace(Tensor& self);

// Numbers; the least i64 stays as it is.
Tensor Abs(const Tensor& a);
void AbsInPlace(Tensor& self);

}  // namespace twingrad::ops
