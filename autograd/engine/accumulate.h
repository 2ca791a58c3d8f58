// The sum of the gradients that arrive at one input.

#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "autograd/tensor/tensor.h"

namespace twingrad {

// Whether a sum may take memory that nobody holds any more.
enum class Reuse : uint8_t {
  kOfBoth,
  kOfSum,  // not the gradient's: work that is queued on other streams may still read it
  kNone,   // nor the sum's
};

// sum += gradient, both defined. In grad mode the sum has history; otherwise it is formed in place
// where nobody else can see the memory and `reuse` allows it. Memory of others is never written.
void AddDefinedGradient(Tensor& sum, Tensor&& gradient, Reuse reuse);

// The same, where undefined ones count as zero.
inline void AddGradient(Tensor& sum, Tensor&& gradient, Reuse reuse = Reuse::kOfBoth) {
  if (!gradient.defined()) return;
  if (sum.defined()) return AddDefinedGradient(sum, std::move(gradient), reuse);
  // There is nothing to release.
  std::construct_at(&sum, std::move(gradient));
}

}  // namespace twingrad
