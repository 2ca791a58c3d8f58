// The sum of the gradients that arrive at one input.

#ifndef AUTOGRAD_ENGINE_ACCUMULATE_H_
#define AUTOGRAD_ENGINE_ACCUMULATE_H_

#include "autograd/tensor/tensor.h"

namespace twingrad {

// sum += gradient; undefined ones count as zero. In grad mode the sum has history; otherwise it is
// formed in place where nobody else can see the memory. Memory of others is never written.
void AddGradient(Tensor& sum, Tensor&& gradient);

}  // namespace twingrad

#endif  // AUTOGRAD_ENGINE_ACCUMULATE_H_
