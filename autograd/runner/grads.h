// The `.grad`s of all values, looked up once for all who look at them when a call has ended.
//
//   const Grads grads = GradsOf(values);  // by ValueId, undefined where there is none
//
// Keeps the gradients alive. No call may be running that writes them.

#pragma once

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "autograd/graph/variable.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::runner {

using Grads = absl::InlinedVector<Tensor, 32>;

inline Grads GradsOf(absl::Span<const Tensor> values) {
  Grads grads;
  grads.reserve(values.size());
  for (const Tensor& value : values) grads.push_back(GradOf(value));
  return grads;
}

}  // namespace twingrad::runner
