// Atomic<T> of the model. Included by autograd/sync/atomic.h only.
//
// Sequentially consistent whatever order is asked for: a scheduling point, then a plain access.
// Each access both acquires and releases, so the race detector takes every atomic as an ordering
// one. The weak compare-exchange never fails without a reason.
#ifndef AUTOGRAD_SYNC_MODEL_ATOMIC_H_
#define AUTOGRAD_SYNC_MODEL_ATOMIC_H_

#include <source_location>

#include "autograd/sync/model/scheduler.h"

namespace autograd::sync {

template <typename T>
class Atomic {
 public:
  using Site = std::source_location;

  constexpr Atomic() = default;
  constexpr explicit Atomic(T value) : value_(value) {}
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;

  T Load(MemoryOrder order, Site where = Site::current()) const {
    Step(model::OperationKind::kAtomicLoad, order, where);
    return value_;
  }
  void Store(T value, MemoryOrder order, Site where = Site::current()) {
    Step(model::OperationKind::kAtomicStore, order, where);
    value_ = value;
  }
  T Exchange(T value, MemoryOrder order, Site where = Site::current()) {
    return Update([value](T) { return value; }, order, where);
  }
  bool CompareExchangeStrong(T& expected, T desired, MemoryOrder success, MemoryOrder failure,
                             Site where = Site::current()) {
    model::Scheduler* scheduler = model::Current();
    if (scheduler != nullptr) {
      scheduler->Step({model::OperationKind::kAtomicUpdate, this, "", where});
    }
    const bool equal = value_ == expected;
    Order(scheduler, equal ? success : failure);
    if (equal) {
      value_ = desired;
    } else {
      expected = value_;
    }
    return equal;
  }
  bool CompareExchangeWeak(T& expected, T desired, MemoryOrder success, MemoryOrder failure,
                           Site where = Site::current()) {
    return CompareExchangeStrong(expected, desired, success, failure, where);
  }
  T FetchAdd(T delta, MemoryOrder order, Site where = Site::current()) {
    return Update([delta](T value) { return static_cast<T>(value + delta); }, order, where);
  }
  T FetchSub(T delta, MemoryOrder order, Site where = Site::current()) {
    return Update([delta](T value) { return static_cast<T>(value - delta); }, order, where);
  }
  T FetchOr(T bits, MemoryOrder order, Site where = Site::current()) {
    return Update([bits](T value) { return static_cast<T>(value | bits); }, order, where);
  }
  T FetchAnd(T bits, MemoryOrder order, Site where = Site::current()) {
    return Update([bits](T value) { return static_cast<T>(value & bits); }, order, where);
  }

 private:
  void Step(model::OperationKind kind, MemoryOrder order, Site where) const {
    model::Scheduler* scheduler = model::Current();
    if (scheduler == nullptr) return;
    scheduler->Step({kind, this, "", where});
    Order(scheduler, order);
  }
  // A load never asks to release nor a store to acquire, so the order alone says what to do.
  void Order(model::Scheduler* scheduler, MemoryOrder order) const {
    if (scheduler == nullptr || order == kRelaxed) return;
    if (order != kRelease) scheduler->Acquire(this);
    if (order != kAcquire) scheduler->Release(this);
  }
  template <typename F>
  T Update(F change, MemoryOrder order, Site where) {
    Step(model::OperationKind::kAtomicUpdate, order, where);
    const T before = value_;
    value_ = change(before);
    return before;
  }

  T value_{};
};

}  // namespace autograd::sync

#endif  // AUTOGRAD_SYNC_MODEL_ATOMIC_H_
