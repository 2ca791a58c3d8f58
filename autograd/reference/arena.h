// Memory that lives as long as one run of a witness: arrays, maps and records are allocated from it
// and freed all at once.
//
// Allocation is a pointer increment, so that a run of a dozen statements costs a few calls of
// malloc. Only for trivially destructible types, and shapes. Throws OutOfArena past its limit. One
// thread.

#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

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
  ~Arena() {
    for (const Kept* kept = shapes_; kept != nullptr; kept = kept->before) kept->shape.~Shape();
    while (chunk_ != nullptr) ::operator delete(std::exchange(chunk_, chunk_->before));
  }

  // Uninitialised room for `count` objects.
  template <typename T>
  T* Allocate(size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    return static_cast<T*>(RoomFor<T>(count));
  }

  template <typename T>
  T* New(const T& value) {
    return new (Allocate<T>(1)) T(value);
  }

  const Shape* Keep(const Shape& shape) {
    shapes_ = new (RoomFor<Kept>(1)) Kept{shape, shapes_};
    return &shapes_->shape;
  }

 private:
  static constexpr size_t kAlign = 8;
  static constexpr size_t kChunk = size_t{48} << 10;

  // What chunks begin with, and shapes end with: the one that was made before.
  struct Chunk {
    Chunk* before;
  };
  struct Kept {
    Shape shape;
    const Kept* before;
  };

  template <typename T>
  void* RoomFor(size_t count) {
    static_assert(alignof(T) <= kAlign);
    const size_t bytes = (count * sizeof(T) + kAlign - 1) / kAlign * kAlign;
    if (static_cast<size_t>(end_ - next_) < bytes) Grow(bytes);
    return std::exchange(next_, next_ + bytes);
  }

  void Grow(size_t bytes) {
    const size_t size = std::max(bytes + sizeof(Chunk), kChunk);
    total_ += size;
    if (total_ > kLimit) throw OutOfArena();
    chunk_ = new (::operator new(size)) Chunk{chunk_};
    next_ = reinterpret_cast<char*>(chunk_ + 1);
    end_ = reinterpret_cast<char*>(chunk_) + size;
  }

  Chunk* chunk_ = nullptr;  // the newest of each
  const Kept* shapes_ = nullptr;
  char* next_ = nullptr;
  char* end_ = nullptr;
  size_t total_ = 0;
};

}  // namespace twingrad::reference
