// The sum of the gradients that arrive at one input.

#pragma once

#include <utility>

#include "autograd/tensor/tensor.h"

namespace twingrad {

// sum += gradient, both defined. In grad mode the sum has history; otherwise it is formed in place
// where nobody else can see the memory. Memory of others is never written.
void AddDefinedGradient(Tensor& sum, Tensor&& gradient);

// The same, where undefined ones count as zero.
inline void AddGradient(Tensor& sum, Tensor&& gradient) {
  if (!gradient.defined()) return;
  if (sum.defined()) return AddDefinedGradient(sum, std::move(gradient));
  sum = std::move(gradient);
}

}  // namespace twingrad
