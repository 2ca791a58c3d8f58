// sum and mean, differentiable.
//
//   Tensor s = ops::Sum(a, {0, 2}, /*keepdim=*/true);
//   Tensor m = ops::Mean(a, {}, false);               // no dims: over all of them
//
// A sum of nothing is 0; a mean of nothing is NaN.

#ifndef AUTOGRAD_OPS_REDUCTION_H_
#define AUTOGRAD_OPS_REDUCTION_H_

#include "absl/types/span.h"
#include "autograd/base/dtype.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// Over `dims`, over all dimensions where it is empty. keepdim leaves a size of 1 for each.
Tensor Sum(const Tensor& a, absl::Span<const int64_t> dims, bool keepdim);
Tensor Mean(const Tensor& a, absl::Span<const int64_t> dims, bool keepdim);

// Whether a reduction over `dims` takes in dimension d; the operand's shape with 1 in place of each
// reduced size.
bool IsReduced(absl::Span<const int64_t> dims, int64_t d);
Shape KeptShape(const Tensor& a, absl::Span<const int64_t> dims);

}  // namespace twingrad::ops

#endif  // AUTOGRAD_OPS_REDUCTION_H_
