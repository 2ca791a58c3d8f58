// Functions of two numbers.
//
//   Tensor y = ops::LogAddExp(a, b);   // log(e^a + e^b), without overflow
//
// Floats, broadcast, on one device. Errors as in arithmetic.h.

#pragma once

#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

Tensor LogAddExp(const Tensor& a, const Tensor& b);
// The angle from the first axis to the point (b, a), from -π to π.
Tensor Atan2(const Tensor& a, const Tensor& b);
// a log b, 0 where a is 0 unless b is NaN. Its slope by a is log b there too.
Tensor XLogY(const Tensor& a, const Tensor& b);

// a - n b, where n is a / b without its fraction: the sign of a. The slope by b is -n.
Tensor Fmod(const Tensor& a, const Tensor& b);
// The same, where n is the greatest whole number up to a / b: the sign of b.
Tensor Remainder(const Tensor& a, const Tensor& b);

}  // namespace twingrad::ops
