// Left folds of gradients. See accumulate.h.

#include "autograd/engine/accumulate.h"

#include <utility>

#include "autograd/graph/basic_nodes.h"
#include "autograd/graph/thread_state.h"
#include "autograd/graph/variable.h"
#include "autograd/tensor/kernels/arithmetic.h"
#include "autograd/tensor/kernels/sparse.h"

namespace twingrad {
namespace {

// A dense operand takes the sparse one in where it may be written, whichever came first.
void AddSparseGradient(Tensor& sum, Tensor& gradient, Reuse reuse) {
  if (reuse != Reuse::kNone && !sum.is_sparse() && IsPrivate(sum)) {
    kernels::AddSparseInto(sum, gradient);
  } else if (reuse == Reuse::kOfBoth && sum.is_sparse() && !gradient.is_sparse() &&
             IsPrivate(gradient)) {
    kernels::AddSparseInto(gradient, sum);
    sum = std::move(gradient);
  } else {
    sum = kernels::AddSparse(sum, gradient);
  }
}

}  // namespace

void AddDefinedGradient(Tensor& sum, Tensor&& gradient, Reuse reuse) {
  if (GradMode::IsEnabled()) {
    sum = GradientAdd(sum, gradient);
    AnnounceNodeOf(sum);
  } else if (sum.is_sparse() || gradient.is_sparse()) [[unlikely]] {
    AddSparseGradient(sum, gradient, reuse);
  } else if (reuse != Reuse::kNone && IsPrivate(sum)) {
    kernels::AddInto(sum, gradient);
  } else {
    sum = kernels::Add(sum, gradient);
  }
}

}  // namespace twingrad
