// prod, amax and amin: reductions that are no sums.
//
//   Tensor p = ops::Prod(a, {1}, /*keepdim=*/false);
//   Tensor m = ops::Amax(a, {}, false);             // no dims: over all of them
//
// f32, f64 and i64; the result has the operand's type and device. `dims`, keepdim and errors are
// those of Sum (reduction.h). Where several elements are the greatest or least, each gets an equal
// share of the gradient (max and min of pick.h give it to the first).

#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// 1 of nothing; integers wrap. Derivatives are right at zeros, however many.
Tensor Prod(const Tensor& a, absl::Span<const int64_t> dims, bool keepdim);
// Error(kShape) where a reduced dimension has size 0.
Tensor Amax(const Tensor& a, absl::Span<const int64_t> dims, bool keepdim);
Tensor Amin(const Tensor& a, absl::Span<const int64_t> dims, bool keepdim);

}  // namespace twingrad::ops
