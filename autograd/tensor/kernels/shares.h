// Shares: what a softmax makes of the rows of a matrix, and the way back, in one pass a row.
//
//   Tensor scores = kernels::Matmul(q, transposed_k);
//   kernels::ShareOut(scores, /*scale=*/0.125, /*is_causal=*/true);    // rows that add up to 1
//
// The same bits as a product, Amax, Sub, exp, Sum and Div one after the other. Rows lie along the
// last of two dimensions or more. Tensors are contiguous and not remote, of f32 or f64. No history;
// any thread.

#pragma once

#include "autograd/tensor/tensor.h"

namespace twingrad::kernels {

// Of each element times `scale`, in place. Row i of a causal matrix takes part up to element i;
// elements behind it are not looked at, and become 0.
void ShareOut(Tensor& scores, double scale, bool is_causal);
// What the gradients of shares become, in place: (g - Σ g share) share scale.
void ShareOutBack(Tensor& gradients, const Tensor& shares, double scale, bool is_causal);

}  // namespace twingrad::kernels
