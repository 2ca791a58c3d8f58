// The sum of the gradients that arrive at one input.

#pragma once

#include "autograd/tensor/tensor.h"

namespace twingrad {

// sum += gradient; undefined ones count as zero. In grad mode the sum has history; otherwise it is
// formed in place where nobody else can see the memory. Memory of others is never written.
void AddGradient(Tensor& sum, Tensor&& gradient);

}  // namespace twingrad
