// sum and mean, differentiable.
//
//   Tensor s = ops::Sum(a, {0, 2}, /*keepdim=*/true);
//   Tensor m = ops::Mean(a, {}, false);               // no dims: over all of them
//
// The result has the operand's type and device. `dims` are dimensions in any order; none means all.
// Each goes from the shape, or becomes a size of 1 where keepdim says so. A sum of nothing is 0, a
// mean of nothing NaN. Errors: kUndefined for an undefined operand, kDType for types not taken,
// kInvalidArgument for a dimension that the operand lacks or that is named twice.

#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "autograd/base/dtype.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// f32, f64, i64; integers wrap.
Tensor Sum(const Tensor& a, absl::Span<const int64_t> dims, bool keepdim);
// f32, f64.
Tensor Mean(const Tensor& a, absl::Span<const int64_t> dims, bool keepdim);

// Whether a reduction over `dims` takes in dimension d; the operand's shape with 1 in place of each
// reduced size.
bool IsReduced(absl::Span<const int64_t> dims, int64_t d);
Shape KeptShape(const Tensor& a, absl::Span<const int64_t> dims);

}  // namespace twingrad::ops
