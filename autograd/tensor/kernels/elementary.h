// Functions of one tensor, element by element.
//
//   Tensor c = kernels::Exp(a);   // fresh, contiguous, on the operand's device
//
// Strided operands are fine. Elementary functions are the C library's, whatever the size. No
// history is recorded; nothing is written but the result. Any thread. A type that is not allowed is
// Error(kDType).

#ifndef AUTOGRAD_TENSOR_KERNELS_ELEMENTARY_H_
#define AUTOGRAD_TENSOR_KERNELS_ELEMENTARY_H_

#include "autograd/tensor/tensor.h"

namespace twingrad::kernels {

// f32, f64, i64.
Tensor Neg(const Tensor& a);
Tensor Abs(const Tensor& a);
Tensor Relu(const Tensor& a);
Tensor Sign(const Tensor& a);  // (a > 0) - (a < 0)
// f32, f64.
Tensor Exp(const Tensor& a);
Tensor Log(const Tensor& a);
Tensor Sqrt(const Tensor& a);
Tensor Sin(const Tensor& a);
Tensor Cos(const Tensor& a);
Tensor Tanh(const Tensor& a);
Tensor Sigmoid(const Tensor& a);  // 1 / (1 + exp(-a))
// low where a < low, high where a > high, else a, NaN as well; and where low < a < high, an
// infinite limit being none.
Tensor Clamp(const Tensor& a, double low, double high);
Tensor IsWithin(const Tensor& a, double low, double high);
// f32, f64 to bool: where the element is above 0; where it is 0.
Tensor IsPositive(const Tensor& a);
Tensor IsZero(const Tensor& a);

}  // namespace twingrad::kernels

#endif  // AUTOGRAD_TENSOR_KERNELS_ELEMENTARY_H_
