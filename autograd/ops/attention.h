// Scaled dot-product attention.
//
//   Tensor y = ops::ScaledDotProductAttention(q, k, v, /*causal=*/true);
//
// Floats. The derivatives are right to any order. Errors: kUndefined for an undefined operand,
// kDType for i64 and bool, kShape where operands do not fit.

#pragma once

#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// softmax(q kᵀ / √E) v for q: [.., L, E], k: [.., S, E] and v: [.., S, D], of ranks 2 to 4; E and S
// are 1 or more. `causal`: query i sees the keys up to i alone; what others hold, be it NaN,
// neither reaches it nor gets a gradient from it. A. Vaswani et al., "Attention is all you need",
// NIPS 2017.
Tensor ScaledDotProductAttention(const Tensor& q, const Tensor& k, const Tensor& v, bool causal);

}  // namespace twingrad::ops
