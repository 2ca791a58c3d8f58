// softmax, log_softmax and logsumexp.
//
//   Tensor p = ops::Softmax(a, 1);
//   Tensor z = ops::Logsumexp(a, {0, 1}, /*keepdim=*/false);
//
// Large numbers do not overflow: the greatest is subtracted first. logsumexp of nothing is -inf.

#ifndef AUTOGRAD_OPS_SOFTMAX_H_
#define AUTOGRAD_OPS_SOFTMAX_H_

#include "absl/types/span.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

Tensor Softmax(const Tensor& a, int64_t dim);
Tensor LogSoftmax(const Tensor& a, int64_t dim);
// Over all dimensions where `dims` is empty.
Tensor Logsumexp(const Tensor& a, absl::Span<const int64_t> dims, bool keepdim);

}  // namespace twingrad::ops

#endif  // AUTOGRAD_OPS_SOFTMAX_H_
