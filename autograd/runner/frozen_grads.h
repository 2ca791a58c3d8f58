// FrozenGrads: what every `.grad` held when a call of the engine had returned or thrown.
//
//   frozen.Take(values);
//   ... nothing that may write a .grad ...
//   if (std::optional<size_t> value = frozen.Changed(values)) ...   // written after the end
//
// Copies, so that it holds no gradient alive. Under the model it watches: its looks are no steps
// and order nothing, so that nobody's locks meet those of the runner instead of another's. One
// thread.

#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/observation.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::runner {

class FrozenGrads {
 public:
  void Take(absl::Span<const Tensor> values);
  // Forgets what was taken: `.grad` may be written again.
  void Thaw() { is_frozen_ = false; }
  // The first value whose `.grad` is not what it was; nothing if none was taken.
  std::optional<size_t> Changed(absl::Span<const Tensor> values) const;

 private:
  bool is_frozen_ = false;
  std::vector<std::optional<program::TensorData>> grads_;  // by value; nothing: undefined
};

}  // namespace twingrad::runner
