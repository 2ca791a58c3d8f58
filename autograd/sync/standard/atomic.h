// Atomic<T> over std::atomic. Included by autograd/sync/atomic.h only.
#pragma once

#include <atomic>

namespace twingrad::sync {

template <typename T>
class Atomic {
 public:
  constexpr Atomic() = default;
  constexpr explicit Atomic(T value) : value_(value) {}
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;

  T Load(MemoryOrder order) const { return value_.load(order); }
  void Store(T value, MemoryOrder order) { value_.store(value, order); }
  T Exchange(T value, MemoryOrder order) { return value_.exchange(value, order); }
  // On failure `expected` receives the value found. The weak form may fail for no reason.
  bool CompareExchangeStrong(T& expected, T desired, MemoryOrder success, MemoryOrder failure) {
    return value_.compare_exchange_strong(expected, desired, success, failure);
  }
  bool CompareExchangeWeak(T& expected, T desired, MemoryOrder success, MemoryOrder failure) {
    return value_.compare_exchange_weak(expected, desired, success, failure);
  }
  // Each returns the value before.
  T FetchAdd(T delta, MemoryOrder order) { return value_.fetch_add(delta, order); }
  T FetchSub(T delta, MemoryOrder order) { return value_.fetch_sub(delta, order); }
  T FetchOr(T bits, MemoryOrder order) { return value_.fetch_or(bits, order); }
  T FetchAnd(T bits, MemoryOrder order) { return value_.fetch_and(bits, order); }

 private:
  std::atomic<T> value_{};
};

inline void Fence(MemoryOrder order) { std::atomic_thread_fence(order); }

}  // namespace twingrad::sync
