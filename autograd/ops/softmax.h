// softmax, log_softmax and logsumexp.
//
//   Tensor p = ops::Softmax(a, 1);
//   Tensor z = ops::Logsumexp(a, {0, 1}, /*keepdim=*/false);
//
// f32 and f64; the result has the operand's type and device. Large numbers do not overflow: the
// greatest is subtracted first. Errors: kUndefined for an undefined operand, kDType for i64 and
// bool, kIndex for a dimension out of range.

#pragma once

#include <cstdint>

#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// e^a / Σ e^a along `dim`, in the operand's shape.
Tensor Softmax(const Tensor& a, int64_t dim);
// The logarithm of it, from one pass.
Tensor LogSoftmax(const Tensor& a, int64_t dim);
// log Σ e^a over `dims`, over all dimensions where it is empty; keepdim as for Sum (reduction.h).
// -inf over nothing.
Tensor Logsumexp(const Tensor& a, Ints dims, bool keepdim);

}  // namespace twingrad::ops
