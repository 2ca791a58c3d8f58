// Cell<T> as a plain T. Included by autograd/sync/cell.h only.
#pragma once

#include <utility>

namespace twingrad::sync {

template <typename T>
class Cell {
 public:
  constexpr Cell() = default;
  constexpr explicit Cell(T value) : value_(std::move(value)) {}
  Cell(const Cell&) = delete;
  Cell& operator=(const Cell&) = delete;

  const T& Read() const { return value_; }
  void Write(T value) { value_ = std::move(value); }
  // For changes in place; counts as a write.
  T& Mutable() { return value_; }
  // For a checker that has stopped all threads.
  const T& Peek() const { return value_; }

 private:
  T value_{};
};

}  // namespace twingrad::sync
