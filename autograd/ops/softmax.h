// softmax, log_softmax, logsumexp and logcumsumexp.
//
//   Tensor p = ops::Softmax(a, 1);
//   Tensor z = ops::Logsumexp(a, {0, 1}, /*keepdim=*/false);
//
// Floats; the result has the operand's type and device. Large numbers do not overflow: the
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

// log Σ e^a of the entries up to each along `dim`, in the operand's shape. Derivatives take time
// that grows with the size.
Tensor Logcumsumexp(const Tensor& a, int64_t dim);

}  // namespace twingrad::ops
