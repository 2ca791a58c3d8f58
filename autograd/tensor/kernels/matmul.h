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

// Of floats, where a is read in its lower triangle alone, row r up to column r, or in the upper
// one, from there on: what stands elsewhere, and what it would be multiplied by, reaches nothing.
// Ranks 2 to 4, with the same leading dimensions. Element by element: Matmul is faster where all of
// b is finite and a is 0 elsewhere.
Tensor TriangularMatmul(const Tensor& a, const Tensor& b, bool upper);

}  // namespace twingrad::kernels
