// Tensors for the tests of custom functions.

#pragma once

#include "autograd/graph/gradient_edge.h"
#include "autograd/graph/variable.h"
#include "autograd/tensor/kernels/copy.h"

namespace twingrad {

inline Tensor Copy(const Tensor& tensor) { return kernels::Clone(tensor); }

// A leaf of two elements.
inline Tensor Pair(double a, double b, bool requires_grad = true) {
  Tensor pair = Tensor::FromData<double>({2}, {a, b});
  SetRequiresGrad(pair, requires_grad);
  return pair;
}

inline NodePtr NodeOf(const Tensor& tensor) { return GradientEdge(tensor).function; }

}  // namespace twingrad
