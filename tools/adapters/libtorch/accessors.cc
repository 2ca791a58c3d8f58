#include "tools/adapters/libtorch/accessors.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>
#include <utility>

#include "tools/adapters/libtorch/tensor_data.h"

namespace twingrad::libtorch {
namespace {

using at::Tensor;
using program::AccessorNotes;
using program::TensorData;
using program::ValueId;

// Zeros without memory are a known defect (torch-0004), which sgn leaves in one Program of a
// hundred: that they cannot be read as memory or written is left to the accessors of PyTorch's
// Python front end, so that a run does not explain the same over and over.
bool LacksMemory(const Tensor& gradient) { return gradient._is_zerotensor(); }

// What can be written, element by element: not a gradient that lists its entries.
bool HasElements(const Tensor& gradient) { return !gradient.is_sparse() && !LacksMemory(gradient); }

TensorData Item(const Tensor& gradient) {
  if (gradient.numel() != 1) return DataOf(gradient);
  return DataOf(at::full(gradient.sizes(), gradient.item(), gradient.scalar_type()));
}

// As a user reads memory: from data_ptr(), by strides.
TensorData Memory(const Tensor& gradient) {
  if (LacksMemory(gradient)) return DataOf(gradient);
  return DataOf(at::from_blob(gradient.data_ptr(), gradient.sizes(), gradient.strides(),
                              gradient.scalar_type()));
}

TensorData Copy(const Tensor& gradient) {
  return DataOf(at::empty(gradient.sizes(), gradient.scalar_type()).copy_(gradient));
}

TensorData Rows(const Tensor& gradient) {
  if (gradient.dim() == 0 || gradient.size(0) == 0) return DataOf(gradient);
  return DataOf(at::stack(gradient.unbind(0)));
}

struct Accessor {
  std::string_view word;
  TensorData (*read)(const Tensor& gradient);
  bool of_sparse = false;  // of a tensor that lists its entries too
};

constexpr Accessor kAccessors[] = {
    {"clone", [](const Tensor& g) { return DataOf(g.clone()); }, true},
    {"detach", [](const Tensor& g) { return DataOf(g.detach()); }, true},
    {"contiguous", [](const Tensor& g) { return DataOf(g.contiguous()); }},
    {"to", [](const Tensor& g) { return DataOf(g.to(g.options(), false, /*copy=*/true)); }, true},
    {"copy_", Copy},
    {"flatten", [](const Tensor& g) { return DataOf(g.flatten().reshape(g.sizes())); }},
    {"rows", Rows},
    {"item", Item},
    {"memory", Memory},
};

TensorData Full(const TensorData& like, double number) {
  TensorData data = like;
  std::ranges::fill(data.bits, std::bit_cast<uint64_t>(number));
  return data;
}

}  // namespace

void ReadByAccessors(const Tensor& gradient, const TensorData& read, const AccessorNotes& notes) {
  const c10::NoGradGuard no_grad;
  for (const Accessor& accessor : kAccessors) {
    if (gradient.is_sparse() && !accessor.of_sparse) continue;
    notes.Read(accessor.word, read, [&] { return accessor.read(gradient); });
  }
  if (gradient.is_sparse()) return;
  notes.Read("write_clone", Full(read, 1), [&] { return DataOf(gradient.clone().fill_(1)); });
  notes.Read("again", read, [&] { return DataOf(gradient); });
}

void WriteGradients(const std::vector<Tensor>& values, program::Observation& observation) {
  const c10::NoGradGuard no_grad;
  const auto grad_of = [&](size_t id) {
    return observation.values[id].grad_defined ? values[id].mutable_grad() : Tensor();
  };
  const auto notes = [&](size_t id, bool is_grad) {
    return AccessorNotes{static_cast<ValueId>(id), is_grad, observation.accessors};
  };
  // Each gets a number of its own, so that a later write shows in an earlier one.
  const auto mark = [](size_t id) { return static_cast<double>(id + 1); };
  for (size_t id = 0; id < values.size(); ++id) {
    const Tensor grad = grad_of(id);
    if (!grad.defined() || !HasElements(grad)) continue;
    notes(id, true).Read("write", Full(observation.values[id].grad, mark(id)),
                         [&] { return DataOf(grad.zero_().add_(mark(id))); });
  }
  for (size_t id = 0; id < values.size(); ++id) {
    if (!values[id].defined()) continue;
    const auto& record = observation.values[id];
    notes(id, false).Read("after_writes", record.data, [&] { return DataOf(values[id]); });
    const Tensor grad = grad_of(id);
    if (!grad.defined() || !HasElements(grad)) continue;
    notes(id, true).Read("after_writes", Full(record.grad, mark(id)), [&] { return DataOf(grad); });
  }
}

}  // namespace twingrad::libtorch
