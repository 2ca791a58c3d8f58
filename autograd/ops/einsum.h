// Sums of products by an equation: a letter for each dimension of the operands and of the result.
//
//   Tensor c = ops::Einsum({&a, &b}, "bij,bjk->bik");   // c[b,i,k] = Σ_j a[b,i,j] b[b,j,k]
//   Tensor d = ops::Einsum({&a}, "ii->i");              // the diagonal of a matrix
//
// One node. Two operands are multiplied as stacks of matrices; what one operand alone has is summed
// before.

#pragma once

#include <string>

#include "autograd/base/span.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// One or two operands; letters are a to z. Numbers; integers wrap. A letter that the result lacks
// is summed over; one that an operand has twice takes its diagonal. Errors: kInvalidArgument for
// text that is no such equation, kUndefined, kShape where ranks or sizes do not fit, kDType,
// kDevice.
Tensor Einsum(Span<const Tensor* const> operands, const std::string& equation);

}  // namespace twingrad::ops
