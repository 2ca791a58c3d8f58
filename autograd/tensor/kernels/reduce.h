// Sums over dimensions, and the sum that undoes a broadcast.
//
//   Tensor s = kernels::Sum(a, {0}, /*keepdim=*/false);
//   Tensor g = kernels::SumTo(gradient, operand.sizes());
//
// Sums round to the element type at each step and have the same bits on every run. Of fewer than
// processor::kSumLanes elements (64 of f32, 32 of f64) each is a left fold from +0 in row-major
// order of the operand. Of more, elements are taken in the order of memory, repetitions outermost,
// then the dimensions with the longest strides: rows that are reduced are added up as
// processor/loops.h says, by 1024 elements where they do not lie side by side, and what one result
// is made of is a left fold of these sums, or of elements where rows are kept. Numbers:
// integers wrap, in no order that shows. A sum of nothing is 0. No history; any thread.

#pragma once

#include <cstdint>

#include "autograd/tensor/tensor.h"

namespace twingrad::kernels {

// Over `dims`, each within 0..rank-1 and given once, else Error(kInvalidArgument); over none when
// the list is empty. keepdim leaves a size of 1 in place of each.
Tensor Sum(const Tensor& a, Ints dims, bool keepdim);
Tensor SumAll(const Tensor& a, bool keepdim);

// The product, 1 of nothing; the greatest and the least element, NaN if any is, -inf or inf (the
// least or greatest integer) of nothing. Over `dims` as Sum, over all dimensions where it is empty.
Tensor Prod(const Tensor& a, Ints dims, bool keepdim);
Tensor Amax(const Tensor& a, Ints dims, bool keepdim);
Tensor Amin(const Tensor& a, Ints dims, bool keepdim);

// Sums a to `shape`, which must broadcast to a's shape (else Error(kShape)). Where the shapes are
// equal the result is `a` itself, not a copy.
Tensor SumTo(const Tensor& a, Ints shape);

}  // namespace twingrad::kernels
