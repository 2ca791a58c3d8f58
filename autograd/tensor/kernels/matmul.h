// Matrix products.
//
//   Tensor c = kernels::Matmul(a, b);   // [..,m,k] x [..,k,n] -> [..,m,n]
//
// Ranks 1 to 4. An operand of rank 1 is a row on the left and a column on the right, and its
// dimension is absent from the result; leading dimensions are broadcast. Shapes that do not fit are
// Error(kShape). Numbers; integers wrap. An inner dimension of 0 gives zeros. Small products are
// left folds over the inner dimension from +0; from kMatmulVectorSize multiplications on products
// are those for this processor (processor/products.h), in an order that is fixed on one machine and
// with fused multiplication and addition. No history; any thread.

#pragma once

#include <cstdint>

#include "autograd/tensor/tensor.h"

namespace twingrad::kernels {

inline constexpr int64_t kMatmulVectorSize = 512;

Tensor Matmul(const Tensor& a, const Tensor& b);

}  // namespace twingrad::kernels
