// view, reshape, transpose, permute, expand, select, slice, squeeze and unsqueeze, differentiable.
//
//   Tensor row = ops::Select(a, 0, 1);     // shares a's memory and version
//   ops::MulInPlace(row, b);               // a changes, with history
//
// Results are differentiable views of the operand's base: writes through one are seen through all.
// All element types; type and device are the operand's. Dimensions count from 0 and are never
// negative. Errors: kUndefined for an undefined operand, kIndex for a dimension or index out of
// range, kShape for shapes that do not fit.

#pragma once

#include <cstdint>

#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// Row-major order with another shape; Error(kInvalidArgument) unless the operand is contiguous.
Tensor View(const Tensor& a, Ints shape);
// As View where the operand is contiguous, else a copy.
Tensor Reshape(const Tensor& a, Ints shape);
// Two dimensions swapped.
Tensor Transpose(const Tensor& a, int64_t dim0, int64_t dim1);
// Dimension i of the result is dims[i]; each occurs once, else Error(kInvalidArgument).
Tensor Permute(const Tensor& a, Ints dims);
// Sizes of 1, and dimensions added in front, repeated to `shape` without a copy.
Tensor Expand(const Tensor& a, Ints shape);
// One entry of `dim`, which the result lacks.
Tensor Select(const Tensor& a, int64_t dim, int64_t index);
// As in Python, for start and stop of 0 or more, which are clamped, and step of 1 or more; else
// Error(kInvalidArgument).
Tensor Slice(const Tensor& a, int64_t dim, int64_t start, int64_t stop, int64_t step);
// Those of `dims`, of all dimensions where it is empty, whose size is 1 go.
Tensor Squeeze(const Tensor& a, Ints dims);
// A new dimension of size 1 at `dim`.
Tensor Unsqueeze(const Tensor& a, int64_t dim);
// Of rank 0 to 2.
Tensor T(const Tensor& a);
// Of each matrix of two dimensions, which go, the diagonal `by` to the right; it comes last.
Tensor Diagonal(const Tensor& a, Ints dims, int64_t by);
// Windows of `count` entries of `dim`, each `step` after the last; their entries come last.
Tensor Unfold(const Tensor& a, int64_t dim, int64_t step, int64_t count);
Tensor AliasOf(const Tensor& a);
// Of a contiguous tensor's elements in row-major order, those at `start` and each coordinate times
// its stride from there; Error(kInvalidArgument) for one that is none, and for others.
Tensor AsStrided(const Tensor& a, Ints shape, Ints strides, int64_t start);

}  // namespace twingrad::ops
