// cat and stack: tensors one after the other.
//
//   Tensor c = ops::Cat({&a, &b}, 0);      // a and b may differ in size along dimension 0
//   Tensor s = ops::Stack({&a, &b}, 0);    // along a new dimension
//
// Copies; the derivative gives each operand its part of the gradient.

#ifndef AUTOGRAD_OPS_JOIN_H_
#define AUTOGRAD_OPS_JOIN_H_

#include "absl/types/span.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

Tensor Cat(absl::Span<const Tensor* const> operands, int64_t dim);
Tensor Stack(absl::Span<const Tensor* const> operands, int64_t dim);

}  // namespace twingrad::ops

#endif  // AUTOGRAD_OPS_JOIN_H_
