// view, reshape, transpose, permute, expand, select, slice, squeeze and unsqueeze, differentiable.
//
//   Tensor row = ops::Select(a, 0, 1);     // shares a's memory and version
//   ops::MulInPlace(row, b);               // a changes, with history
//
// Results are differentiable views of the operand's base: writes through one are seen through all.
// All element types. Dimensions count from 0 and are never negative. Out of range: Error kIndex;
// shapes that do not fit: kShape.

#ifndef AUTOGRAD_OPS_VIEW_H_
#define AUTOGRAD_OPS_VIEW_H_

#include "absl/types/span.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// Row-major order with another shape; Error(kInvalidArgument) unless the operand is contiguous.
Tensor View(const Tensor& a, absl::Span<const int64_t> shape);
// As View where the operand is contiguous, else a copy.
Tensor Reshape(const Tensor& a, absl::Span<const int64_t> shape);
Tensor Transpose(const Tensor& a, int64_t dim0, int64_t dim1);
Tensor Permute(const Tensor& a, absl::Span<const int64_t> dims);
Tensor Expand(const Tensor& a, absl::Span<const int64_t> shape);
Tensor Select(const Tensor& a, int64_t dim, int64_t index);
// As in Python, for start and stop of 0 or more and step of 1 or more.
Tensor Slice(const Tensor& a, int64_t dim, int64_t start, int64_t stop, int64_t step);
// Those of `dims`, of all dimensions where it is empty, whose size is 1 go.
Tensor Squeeze(const Tensor& a, absl::Span<const int64_t> dims);
Tensor Unsqueeze(const Tensor& a, int64_t dim);

}  // namespace twingrad::ops

#endif  // AUTOGRAD_OPS_VIEW_H_
