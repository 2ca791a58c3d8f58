// Matrix products.
//
//   Tensor c = kernels::Matmul(a, b);   // [..,m,k] x [..,k,n] -> [..,m,n]
//
// Ranks 1 to 4. An operand of rank 1 is a row on the left and a column on the right, and its
// dimension is absent from the result; leading dimensions are broadcast. Shapes that do not fit are
// Error(kShape). f32, f64, i64 (wraps). An inner dimension of 0 gives zeros. Small products are
// left folds over the inner dimension from +0; from kMatmulVectorSize multiplications on Eigen's
// blocked product is used, which sums in another, fixed order. No history; any thread.

#pragma once

#include <cstdint>

#include "autograd/tensor/tensor.h"

namespace twingrad::kernels {

inline constexpr int64_t kMatmulVectorSize = 8192;

Tensor Matmul(const Tensor& a, const Tensor& b);

}  // namespace twingrad::kernels
