#include "autograd/runner/contents.h"

#include <cstddef>
#include <string_view>

#include "absl/hash/hash.h"
#include "autograd/graph/variable.h"
#include "autograd/runner/tensor_data.h"
#include "autograd/sync/watch.h"
#include "autograd/tensor/remote.h"
#include "autograd/tensor/sparse.h"

namespace twingrad::runner {
namespace {

uint64_t HashOf(const Tensor& tensor) {
  if (!tensor.defined()) return 0;
  if (IsRemote(tensor)) [[unlikely]]
    return HashOf(WatchedCopy(tensor));
  if (tensor.is_sparse()) {
    const SparseParts& parts = SparsePartsOf(tensor);
    return HashOf(parts.indices) ^ HashOf(parts.values) << 1;
  }
  const auto& storage = *tensor.impl()->storage();
  const std::string_view bytes(static_cast<const char*>(storage.data()), storage.bytes());
  return absl::HashOf(bytes) | 1;
}

}  // namespace

void Contents::Take(absl::Span<const Tensor> values) {
  const sync::WatchScope watching;
  before_.clear();
  before_.reserve(values.size());
  for (const Tensor& value : values) before_.push_back({HashOf(value), HashOf(GradOf(value))});
}

std::vector<program::WriteRecord> Contents::Changed(absl::Span<const Tensor> values,
                                                    absl::Span<const Tensor> grads) const {
  const sync::WatchScope watching;
  std::vector<program::WriteRecord> changed;
  for (size_t i = 0; i < before_.size(); ++i) {
    if (before_[i].data == 0) continue;
    const auto value = static_cast<program::ValueId>(i);
    if (HashOf(values[i]) != before_[i].data) changed.push_back({value, /*is_grad=*/false});
    if (HashOf(grads[i]) != before_[i].grad) changed.push_back({value, /*is_grad=*/true});
  }
  return changed;
}

}  // namespace twingrad::runner
