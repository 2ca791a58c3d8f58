// Memory that lives as long as one run of a witness: arrays, maps and records are allocated from it
// and freed all at once.
//
// Allocation is a pointer increment, so that a run of a dozen statements costs a few calls of
// malloc. Only for trivially destructible types, and shapes. Throws OutOfArena past its limit. One
// thread.

#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

#include "autograd/base/dtype.h"

namespace twingrad::reference {

// The Program needs more memory than a witness may use.
struct OutOfArena {};

class Arena {
 public:
  static constexpr size_t kLimit = size_t{1} << 29;

  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Uninitialised room for `count` objects.
  template <typename T>
  T* Allocate(size_t count) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= kAlign);
    const size_t bytes = (count * sizeof(T) + kAlign - 1) / kAlign * kAlign;
    if (static_cast<size_t>(end_ - next_) < bytes) Grow(bytes);
    char* at = next_;
    next_ += bytes;
    return reinterpret_cast<T*>(at);
  }

  template <typename T>
  T* New(const T& value) {
    return new (Allocate<T>(1)) T(value);
  }

  const Shape* Keep(const Shape& shape) { return &shapes_.emplace_back(shape); }

 private:
  static constexpr size_t kAlign = 8;
  static constexpr size_t kChunk = size_t{48} << 10;

  void Grow(size_t bytes) {
    const size_t size = std::max(bytes, kChunk);
    total_ += size;
    if (total_ > kLimit) throw OutOfArena();
    chunks_.emplace_back(new char[size]);
    next_ = chunks_.back().get();
    end_ = next_ + size;
  }

  std::vector<std::unique_ptr<char[]>> chunks_;
  std::deque<Shape> shapes_;
  char* next_ = nullptr;
  char* end_ = nullptr;
  size_t total_ = 0;
};

}  // namespace twingrad::reference
