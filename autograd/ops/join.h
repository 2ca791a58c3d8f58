// cat and stack: tensors one after the other.
//
//   Tensor c = ops::Cat({&a, &b}, 0);      // a and b may differ in size along dimension 0
//   Tensor s = ops::Stack({&a, &b}, 0);    // along a new dimension
//
// Copies, of all element types; the derivative gives each operand its part of the gradient. Errors:
// kInvalidArgument for no operands, kUndefined for an undefined one, kIndex for a dimension out of
// range, kDType and kDevice where operands differ, kShape where sizes do not fit.

#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// Operands of one rank, at least 1, and of equal sizes but along `dim`; their sizes there add up.
Tensor Cat(absl::Span<const Tensor* const> operands, int64_t dim);
// Operands of one shape; the result has one dimension more, of as many entries as operands.
Tensor Stack(absl::Span<const Tensor* const> operands, int64_t dim);

}  // namespace twingrad::ops
