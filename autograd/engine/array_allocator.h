// ArrayAllocator<T>: memory for the arrays of a call, which begin on a cache line; large ones lie
// in huge pages where the system has some, so that filling one costs few page faults.
//
//   std::vector<NodeState, ArrayAllocator<NodeState>> states;

#pragma once

#include <cstddef>
#include <limits>
#include <new>

#include "autograd/tensor/pool.h"

namespace twingrad {

template <class T>
struct ArrayAllocator {
  using value_type = T;

  ArrayAllocator() = default;
  template <class U>
  ArrayAllocator(const ArrayAllocator<U>&) {}  // NOLINT(google-explicit-constructor)

  T* allocate(size_t count) {
    if (count > std::numeric_limits<size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(pool::AllocateArray(count * sizeof(T)));
  }
  void deallocate(T* array, size_t count) { pool::FreeArray(array, count * sizeof(T)); }

  friend bool operator==(const ArrayAllocator&, const ArrayAllocator&) { return true; }
};

}  // namespace twingrad
