// Arithmetic on two tensors, element by element, broadcast against each other; and the masks that
// derivatives multiply by.
//
//   Tensor c = kernels::Mul(a, b);   // fresh, contiguous, on the operands' device
//
// Operands have one element type and one device (else Error kDType, kDevice) and shapes that fit
// (else kShape). Strided operands are fine. Single elements take a path without loops. No history
// is recorded; nothing is written but the result. Any thread.

#pragma once

#include "autograd/tensor/tensor.h"

namespace twingrad::kernels {

// Numbers.
Tensor Add(const Tensor& a, const Tensor& b);
Tensor Sub(const Tensor& a, const Tensor& b);
Tensor Mul(const Tensor& a, const Tensor& b);
Tensor Maximum(const Tensor& a, const Tensor& b);
Tensor Minimum(const Tensor& a, const Tensor& b);
// Floats.
Tensor Div(const Tensor& a, const Tensor& b);
Tensor LogAddExp(const Tensor& a, const Tensor& b);  // nothing overflows
Tensor Atan2(const Tensor& a, const Tensor& b);
Tensor XLogY(const Tensor& a, const Tensor& b);  // 0 where a is
Tensor Fmod(const Tensor& a, const Tensor& b);
Tensor Remainder(const Tensor& a, const Tensor& b);
// How often b goes into a, for these.
Tensor TruncatedQuotient(const Tensor& a, const Tensor& b);
Tensor FlooredQuotient(const Tensor& a, const Tensor& b);
// Numbers; an integer exponent below 0 is Error(kDomain).
Tensor Pow(const Tensor& a, const Tensor& b);

// How much of maximum(a, b)'s gradient goes to a: 1, 1/2 where equal, 0 where a < b. Floats.
// Of minimum(a, b)'s: MaximumWeight(b, a) goes to a.
Tensor MaximumWeight(const Tensor& a, const Tensor& b);
// a where the gate is above 0, else 0. Floats.
Tensor Gated(const Tensor& a, const Tensor& gate);
// Bool: where a == b. Floats.
Tensor Equals(const Tensor& a, const Tensor& b);
// Bool: where pow(a, b) is constant in a although b * a^(b-1) is no number: b == 0, and a is 0 or
// NaN. Floats.
Tensor PowIsFlatInBase(const Tensor& a, const Tensor& b);
// Bool: where b * a^(b-1) is 0, and 1 / a, its slope in b, beyond the format: b == 0, and a is
// subnormal. Undefined if that is nowhere. Floats.
Tensor PowIsSteepInBase(const Tensor& a, const Tensor& b);
// Bool: where pow(a, b) is constant in b although log(a) is no number: a == 0 and b >= 0. Floats.
Tensor PowIsFlatInExponent(const Tensor& a, const Tensor& b);

// The greatest power of two that is no more than the magnitude of a or of b where the square of
// that might leave the format, else 1; 0 where both are. Floats.
Tensor ScaleOfSquares(const Tensor& a, const Tensor& b);

// target += other, element by element, in place; same shape, type and device. Overlap of the two is
// harmless only where they are the very same view.
void AddInto(Tensor& target, const Tensor& other);
// target -= factor * other, the product rounded first, as two operations would. Floats; what may
// overlap is what AddInto says.
void SubScaledInto(Tensor& target, double factor, const Tensor& other);

}  // namespace twingrad::kernels
