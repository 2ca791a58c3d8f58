// Sums of products by an equation: a letter for each dimension of the operands and of the result.
//
//   Tensor c = ops::Einsum({&a, &b}, "bij,bjk->bik");   // c[b,i,k] = Σ_j a[b,i,j] b[b,j,k]
//   Tensor d = ops::Einsum({&a}, "ii->i");              // the diagonal of a matrix
//
//   Tensor e = ops::Einsum({&q, &k, &v}, "...ie,...je,...jd->...id");
//
// One node for one operand or two. Two are multiplied as stacks of matrices; what one operand alone
// has is summed before. More are multiplied from left to right, two at a time, and a letter is
// summed over with the last that has it; an operand that is broadcast loses its dimension of 1
// first, which is a node of its own. See equation.h for what an equation may say.

#pragma once

#include <string>

#include "autograd/base/span.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// One operand or more. Numbers; integers wrap. A letter that the result lacks is summed over; one
// that an operand has twice takes its diagonal. Errors: kInvalidArgument for text that is no such
// equation, kUndefined, kShape where ranks or sizes do not fit, kDType, kDevice.
Tensor Einsum(Span<const Tensor* const> operands, const std::string& equation);

}  // namespace twingrad::ops
