// Left folds of gradients. See accumulate.h.

#include "autograd/engine/accumulate.h"

#include <utility>

#include "autograd/graph/basic_nodes.h"
#include "autograd/graph/thread_state.h"
#include "autograd/tensor/kernels/arithmetic.h"

namespace twingrad {

void AddGradient(Tensor& sum, Tensor&& gradient) {
  if (!gradient.defined()) return;
  if (!sum.defined()) {
    sum = std::move(gradient);
  } else if (GradMode::IsEnabled()) {
    sum = GradientAdd(sum, gradient);
  } else if (IsPrivate(sum)) {
    kernels::AddInto(sum, gradient);
  } else {
    sum = kernels::Add(sum, gradient);
  }
}

}  // namespace twingrad
