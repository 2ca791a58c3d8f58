#include "autograd/runner/shared_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"

namespace twingrad::runner {

using program::kNoValue;
using program::SharingRecord;
using program::ValueId;

namespace {

// One who uses a storage.
struct User {
  const void* memory;
  ValueId value = kNoValue;
  bool is_grad = false;
  int32_t hook = -1;
  bool must_be_alone = false;
  size_t number = 0;  // in the order in which they were found
};

// Tensors without elements have no memory.
bool HasMemory(const Tensor& tensor) { return tensor.defined() && tensor.numel() > 0; }

const void* MemoryOf(const Tensor& tensor) { return tensor.impl()->storage()->data(); }

// The memory that nobody else may use: that of gradients and results. Most calls have little of it,
// so that little else is looked at.
using Memory = absl::InlinedVector<const void*, 16>;
Memory Private(const std::vector<Tensor>& values, const Grads& grads,
               absl::Span<const ValueId> results) {
  Memory memory;
  for (const Tensor& grad : grads) {
    if (HasMemory(grad)) memory.push_back(MemoryOf(grad));
  }
  for (const ValueId result : results) {
    if (HasMemory(values[result])) memory.push_back(MemoryOf(values[result]));
  }
  std::sort(memory.begin(), memory.end());
  return memory;
}

// Those that are in this memory or whose gradients are. Of each tensor one value: a custom function
// in place gives its operand another name.
absl::InlinedVector<ValueId, 16> Distinct(const std::vector<Tensor>& values, const Grads& grads,
                                          const Memory& memory) {
  const auto is_in = [&memory](const Tensor& value) {
    return HasMemory(value) && std::binary_search(memory.begin(), memory.end(), MemoryOf(value));
  };
  absl::InlinedVector<std::pair<const void*, ValueId>, 16> tensors;
  for (size_t i = 0; i < values.size(); ++i) {
    if (HasMemory(grads[i]) || is_in(values[i])) {
      tensors.emplace_back(values[i].impl(), static_cast<ValueId>(i));
    }
  }
  std::sort(tensors.begin(), tensors.end());
  absl::InlinedVector<ValueId, 16> distinct;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (i == 0 || tensors[i].first != tensors[i - 1].first) distinct.push_back(tensors[i].second);
  }
  return distinct;
}

using Users = absl::InlinedVector<User, 32>;

void Add(Users& users, const Tensor& tensor, User user) {
  if (!HasMemory(tensor)) return;
  user.memory = MemoryOf(tensor);
  user.number = users.size();
  users.push_back(user);
}

}  // namespace

std::vector<SharingRecord> SharedMemory(const std::vector<Tensor>& values, const Grads& grads,
                                        absl::Span<const ValueId> results,
                                        const std::vector<Recorder::KeptGradient>& kept) {
  const Memory memory = Private(values, grads, results);
  if (memory.empty()) return {};
  Users users;
  for (const ValueId value : Distinct(values, grads, memory)) {
    const bool is_result = std::find(results.begin(), results.end(), value) != results.end();
    Add(users, values[value], {nullptr, value, false, -1, is_result});
    Add(users, grads[value], {nullptr, value, true, -1, true});
  }
  for (const Recorder::KeptGradient& keeping : kept) {
    Add(users, keeping.gradient, {nullptr, kNoValue, false, keeping.statement, false});
  }
  std::sort(users.begin(), users.end(), [](const User& a, const User& b) {
    return a.memory != b.memory ? std::less<>()(a.memory, b.memory) : a.number < b.number;
  });
  std::vector<SharingRecord> found;
  for (size_t i = 0; i + 1 < users.size(); ++i) {
    const User* one = &users[i];
    const User* other = &users[i + 1];
    if (one->memory != other->memory || !(one->must_be_alone || other->must_be_alone)) continue;
    if (!one->must_be_alone) std::swap(one, other);
    found.push_back({one->value, one->is_grad, other->value, other->is_grad, other->hook});
  }
  std::sort(found.begin(), found.end(),
            [](const SharingRecord& a, const SharingRecord& b) { return a.value < b.value; });
  return found;
}

std::vector<ValueId> Storages(const std::vector<Tensor>& values) {
  std::vector<ValueId> first(values.size(), kNoValue);
  absl::InlinedVector<std::pair<const void*, ValueId>, 48> users;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].defined()) continue;
    users.emplace_back(MemoryOf(values[i]), static_cast<ValueId>(i));
  }
  std::sort(users.begin(), users.end());
  ValueId owner = kNoValue;
  for (size_t i = 0; i < users.size(); ++i) {
    if (i == 0 || users[i].first != users[i - 1].first) owner = users[i].second;
    first[users[i].second] = owner;
  }
  return first;
}

}  // namespace twingrad::runner
