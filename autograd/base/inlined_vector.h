// InlinedVector<T, N>: a vector that keeps up to N elements in itself and allocates for more.
//
//   InlinedVector<int64_t, 4> sizes = {2, 3};
//   sizes.push_back(4);
//
// As std::vector, but a move moves the elements where they lie in the vector itself, and there are
// at most 2^32 - 1 of them (std::length_error). What T's constructors throw goes to the caller, and
// the vector stays valid; T's move does not throw. Lists of tensors and shapes are such vectors:
// one or two elements are the rule, and an allocation would cost more than what is done with them.

#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace twingrad {

template <class T, size_t N>
class InlinedVector {
  static_assert(N > 0 && std::is_nothrow_move_constructible_v<T>);

 public:
  using value_type = T;
  using size_type = size_t;
  using difference_type = ptrdiff_t;
  using pointer = T*;
  using const_pointer = const T*;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;

  InlinedVector() noexcept {}
  explicit InlinedVector(size_t count) { resize(count); }
  InlinedVector(size_t count, const T& value) {
    Guard guard{this};
    reserve(count);
    std::uninitialized_fill_n(data(), count, value);
    size_ = static_cast<uint32_t>(count);
    guard.vector = nullptr;
  }
  InlinedVector(std::initializer_list<T> list) : InlinedVector(list.begin(), list.end()) {}
  template <std::input_iterator Iterator>
  InlinedVector(Iterator first, Iterator last) {
    Guard guard{this};
    Append(first, last);
    guard.vector = nullptr;
  }
  InlinedVector(const InlinedVector& other) : InlinedVector(other.begin(), other.end()) {}
  InlinedVector(InlinedVector&& other) noexcept { Take(other); }
  ~InlinedVector() { Destroy(); }

  InlinedVector& operator=(const InlinedVector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  InlinedVector& operator=(InlinedVector&& other) noexcept {
    if (this != &other) {
      Destroy();
      Take(other);
    }
    return *this;
  }
  InlinedVector& operator=(std::initializer_list<T> list) {
    assign(list.begin(), list.end());
    return *this;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  size_t capacity() const { return capacity_; }
  T* data() { return IsInline() ? Inline() : heap_; }
  const T* data() const { return IsInline() ? Inline() : heap_; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  // std::out_of_range past the end.
  const T& at(size_t i) const {
    if (i >= size_) throw std::out_of_range("InlinedVector::at");
    return data()[i];
  }
  T& at(size_t i) { return const_cast<T&>(std::as_const(*this).at(i)); }
  T& front() { return data()[0]; }
  const T& front() const { return data()[0]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }
  T* begin() { return data(); }
  const T* begin() const { return data(); }
  T* end() { return data() + size_; }
  const T* end() const { return data() + size_; }
  const T* cbegin() const { return begin(); }
  const T* cend() const { return end(); }
  reverse_iterator rbegin() { return reverse_iterator(end()); }
  reverse_iterator rend() { return reverse_iterator(begin()); }
  const_reverse_iterator rbegin() const { return const_reverse_iterator(end()); }
  const_reverse_iterator rend() const { return const_reverse_iterator(begin()); }

  void reserve(size_t count) {
    if (count > capacity_) Grow(count);
  }
  void clear() {
    std::destroy_n(data(), size_);
    size_ = 0;
  }
  // New elements are value-initialised: zeros, empty.
  void resize(size_t count) {
    Shrink(count);
    reserve(count);
    while (size_ < count) emplace_back();
  }
  void resize(size_t count, const T& value) {
    Shrink(count);
    const T copy = value;
    reserve(count);
    while (size_ < count) emplace_back(copy);
  }
  void assign(size_t count, const T& value) {
    const T copy = value;
    clear();
    resize(count, copy);
  }
  // Of a range that is not of this vector.
  template <std::input_iterator Iterator>
  void assign(Iterator first, Iterator last) {
    clear();
    Append(first, last);
  }

  void push_back(const T& value) { emplace_back(value); }
  void push_back(T&& value) { emplace_back(std::move(value)); }
  template <class... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    if (size_ == capacity_) [[unlikely]]
      return GrowAndAppend(std::forward<Arguments>(arguments)...);
    T* made = std::construct_at(data() + size_, std::forward<Arguments>(arguments)...);
    ++size_;
    return *made;
  }
  void pop_back() {
    --size_;
    std::destroy_at(data() + size_);
  }
  // What lies behind moves up.
  T* insert(const T* place, T value) {
    const size_t at = static_cast<size_t>(place - begin());
    emplace_back(std::move(value));
    std::rotate(begin() + at, end() - 1, end());
    return begin() + at;
  }
  // Of a range that is not of this vector.
  template <std::input_iterator Iterator>
  T* insert(const T* place, Iterator first, Iterator last) {
    const size_t at = static_cast<size_t>(place - begin());
    const size_t before = size_;
    Append(first, last);
    std::rotate(begin() + at, begin() + before, end());
    return begin() + at;
  }
  T* erase(const T* place) { return erase(place, place + 1); }
  T* erase(const T* first, const T* last) {
    T* const to = begin() + (first - begin());
    T* const new_end = std::move(begin() + (last - begin()), end(), to);
    Shrink(static_cast<size_t>(new_end - begin()));
    return to;
  }
  void swap(InlinedVector& other) noexcept { std::swap(*this, other); }

  friend bool operator==(const InlinedVector& a, const InlinedVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend auto operator<=>(const InlinedVector& a,
                          const InlinedVector& b) requires std::three_way_comparable<T> {
    return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
  }
  template <class H>
  friend H AbslHashValue(H state, const InlinedVector& vector) {
    return H::combine(H::combine_contiguous(std::move(state), vector.data(), vector.size()),
                      vector.size());
  }

 private:
  // Frees what a constructor has made when it throws.
  struct Guard {
    InlinedVector* vector;
    ~Guard() {
      if (vector != nullptr) vector->Destroy();
    }
  };

  bool IsInline() const { return capacity_ <= N; }
  T* Inline() { return reinterpret_cast<T*>(inline_); }
  const T* Inline() const { return reinterpret_cast<const T*>(inline_); }

  void Destroy() {
    std::destroy_n(data(), size_);
    if (!IsInline()) std::allocator<T>().deallocate(heap_, capacity_);
  }
  void Shrink(size_t count) {
    while (size_ > count) pop_back();
  }
  // Takes the elements of `other`, which is empty then; this vector's own are gone already. What
  // lies in the vector moves one by one: a copy of a block would wait for the stores that have just
  // filled it.
  void Take(InlinedVector& other) noexcept {
    if (!other.IsInline()) [[unlikely]] {
      size_ = other.size_;
      capacity_ = other.capacity_;
      heap_ = std::exchange(other.heap_, nullptr);
      other.capacity_ = N;
    } else {
      const uint32_t size = other.size_;
      capacity_ = N;
      for (uint32_t i = 0; i < N; ++i) {
        if (i == size) break;
        std::construct_at(Inline() + i, std::move(other.Inline()[i]));
        std::destroy_at(other.Inline() + i);
      }
      size_ = size;
    }
    other.size_ = 0;
  }
  template <class Iterator>
  void Append(Iterator first, Iterator last) {
    if constexpr (std::forward_iterator<Iterator>) {
      const size_t count = static_cast<size_t>(std::distance(first, last));
      reserve(size_ + count);
      std::uninitialized_copy(first, last, data() + size_);
      size_ += static_cast<uint32_t>(count);
    } else {
      for (; first != last; ++first) emplace_back(*first);
    }
  }
  // Memory for at least `count` elements, twice what there is if that is more.
  size_t NextCapacity(size_t count) const {
    if (count > UINT32_MAX) throw std::length_error("InlinedVector: more than 2^32 - 1 elements");
    return std::min<size_t>(std::max<size_t>(count, size_t{2} * capacity_), UINT32_MAX);
  }
  // Moves the elements to `memory`, which has place for `capacity`.
  void MoveTo(T* memory, size_t capacity) {
    std::uninitialized_move_n(data(), size_, memory);
    const uint32_t size = size_;
    Destroy();
    heap_ = memory;
    size_ = size;
    capacity_ = static_cast<uint32_t>(capacity);
  }
  void Grow(size_t count) {
    const size_t capacity = NextCapacity(count);
    MoveTo(std::allocator<T>().allocate(capacity), capacity);
  }
  // The arguments may lie in this vector, so the new element is made before the others move.
  template <class... Arguments>
  [[gnu::noinline]] T& GrowAndAppend(Arguments&&... arguments) {
    const size_t capacity = NextCapacity(size_t{size_} + 1);
    T* memory = std::allocator<T>().allocate(capacity);
    try {
      std::construct_at(memory + size_, std::forward<Arguments>(arguments)...);
    } catch (...) {
      std::allocator<T>().deallocate(memory, capacity);
      throw;
    }
    MoveTo(memory, capacity);
    return data()[size_++];
  }

  uint32_t size_ = 0;
  uint32_t capacity_ = N;  // N: in the vector itself
  union {
    T* heap_;
    alignas(T) std::byte inline_[N * sizeof(T)];
  };
};

}  // namespace twingrad
