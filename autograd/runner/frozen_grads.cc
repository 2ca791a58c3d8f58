#include "autograd/runner/frozen_grads.h"

#include "autograd/graph/variable.h"
#include "autograd/runner/tensor_data.h"
#include "autograd/sync/watch.h"

namespace twingrad::runner {

namespace {

std::optional<program::TensorData> GradData(const Tensor& value) {
  if (!value.defined()) return std::nullopt;
  const Tensor grad = GradOf(value);
  if (!grad.defined()) return std::nullopt;
  return DataOf(grad);
}

}  // namespace

void FrozenGrads::Take(absl::Span<const Tensor> values) {
  const sync::WatchScope watching;
  is_frozen_ = true;
  grads_.clear();
  for (const Tensor& value : values) grads_.push_back(GradData(value));
}

std::optional<size_t> FrozenGrads::Changed(absl::Span<const Tensor> values) const {
  if (!is_frozen_) return std::nullopt;
  const sync::WatchScope watching;
  for (size_t i = 0; i < grads_.size(); ++i) {
    if (GradData(values[i]) != grads_[i]) return i;
  }
  return std::nullopt;
}

}  // namespace twingrad::runner
