// Atomic<T> of the model. Included by autograd/sync/atomic.h only.
//
// Sequentially consistent whatever order is asked for: a scheduling point, then a plain access.
// Each access both acquires and releases, so the race detector takes every atomic as an ordering
// one. The weak compare-exchange may fail without a reason.
//
// An atomic of static storage that an execution changes gets its value back at the end: each
// execution starts alike, also after one that failed half-way.
#pragma once

#include <type_traits>

#include "autograd/sync/model/scheduler.h"

namespace twingrad::sync {

template <typename T>
class Atomic {
 public:
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
    KeepForNext();
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
      KeepForNext();
      value_ = desired;
    } else {
      expected = value_;
    }
    return equal;
  }
  bool CompareExchangeWeak(T& expected, T desired, MemoryOrder success, MemoryOrder failure,
                           Site where = Site::current()) {
    model::Scheduler* scheduler = model::Current();
    const model::Operation operation{model::OperationKind::kAtomicUpdate, this, "", where};
    if (scheduler != nullptr && value_ == expected && scheduler->FailsWithoutReason(operation)) {
      Step(model::OperationKind::kAtomicLoad, failure, where);
      expected = value_;
      return false;
    }
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
    if (order != kRelease) scheduler->Acquire(identity_);
    if (order != kAcquire) scheduler->Release(identity_);
  }
  template <typename F>
  T Update(F change, MemoryOrder order, Site where) {
    Step(model::OperationKind::kAtomicUpdate, order, where);
    const T before = value_;
    KeepForNext();
    value_ = change(before);
    return before;
  }

  void KeepForNext() {
    if (!is_static_ || is_kept_ || model::Current() == nullptr) return;
    is_kept_ = true;
    model::AtEndOfExecution([this, before = value_](bool) {
      value_ = before;
      is_kept_ = false;
    });
  }

  T value_{};
  // Constant evaluation is what makes objects of static storage, and no others of ours.
  const bool is_static_ = std::is_constant_evaluated();
  bool is_kept_ = false;
  model::Identity identity_;
};

}  // namespace twingrad::sync
