// Atomic<T> of the model. Included by autograd/sync/atomic.h only.
//
// Each access is a scheduling point. Which of the values that were stored a load reads, and what an
// access orders, is the scheduler's to say; without one, accesses take effect at once and loads
// read the latest value. The weak compare-exchange may fail without a reason.
//
// An atomic of static storage that an execution changes gets its value back at the end: each
// execution starts alike, also after one that failed half-way.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "autograd/sync/model/scheduler.h"

namespace twingrad::sync {

template <typename T>
class Atomic {
  static_assert(sizeof(T) <= sizeof(uint64_t) && std::is_trivially_copyable_v<T>,
                "an atomic of the model holds at most 64 bits");

 public:
  constexpr Atomic() = default;
  constexpr explicit Atomic(T value) : value_(value) {}
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;

  T Load(MemoryOrder order, Site where = Site::current()) const {
    model::Scheduler* scheduler = Step(model::OperationKind::kAtomicLoad, where);
    return scheduler == nullptr ? value_ : FromBits(scheduler->Load(Seen(), order));
  }
  void Store(T value, MemoryOrder order, Site where = Site::current()) {
    model::Scheduler* scheduler = Step(model::OperationKind::kAtomicStore, where);
    KeepForNext();
    if (scheduler == nullptr || scheduler->Store(Seen(), order, ToBits(value))) value_ = value;
  }
  T Exchange(T value, MemoryOrder order, Site where = Site::current()) {
    return Update([value](T) { return value; }, order, where);
  }
  bool CompareExchangeStrong(T& expected, T desired, MemoryOrder success, MemoryOrder failure,
                             Site where = Site::current()) {
    model::Scheduler* scheduler = Step(model::OperationKind::kAtomicUpdate, where);
    const uint64_t wanted = ToBits(expected);
    const T found =
        scheduler == nullptr ? value_ : FromBits(scheduler->Load(Seen(), failure, &wanted));
    if (ToBits(found) != wanted) {
      expected = found;
      return false;
    }
    KeepForNext();
    if (scheduler != nullptr) scheduler->Update(Seen(), success, ToBits(desired));
    value_ = desired;
    return true;
  }
  bool CompareExchangeWeak(T& expected, T desired, MemoryOrder success, MemoryOrder failure,
                           Site where = Site::current()) {
    model::Scheduler* scheduler = model::Current();
    const model::Operation operation{model::OperationKind::kAtomicUpdate, this, "", where};
    if (scheduler != nullptr && value_ == expected && scheduler->FailsWithoutReason(operation)) {
      expected = Load(failure, where);
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
  static uint64_t ToBits(T value) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
  }
  static T FromBits(uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
  }
  model::AtomicObject Seen() const { return {identity_, ToBits(value_)}; }

  // The scheduling point before an access. Returns the scheduler, if it is to hear of the access:
  // not outside an execution, nor of what a quiet thread does if it keeps nothing of the object.
  model::Scheduler* Step(model::OperationKind kind, Site where) const {
    model::Scheduler* scheduler = model::Current();
    if (scheduler == nullptr) return nullptr;
    if (scheduler->IsQuiet()) return identity_.slot != 0 ? scheduler : nullptr;
    scheduler->Step({kind, this, "", where});
    return scheduler;
  }
  template <typename F>
  T Update(F change, MemoryOrder order, Site where) {
    model::Scheduler* scheduler = Step(model::OperationKind::kAtomicUpdate, where);
    KeepForNext();
    const T before = value_;
    const T after = change(before);
    if (scheduler != nullptr) scheduler->Update(Seen(), order, ToBits(after));
    value_ = after;
    return before;
  }

  void KeepForNext() {
    if (!is_static_ || is_kept_ || model::Current() == nullptr) return;
    is_kept_ = true;
    model::AtEndOfExecution([this, before = value_](bool) {
      if (model::Scheduler* scheduler = model::Current()) {
        const bool was_quiet = scheduler->SetQuiet(true);
        scheduler->Update(Seen(), std::memory_order_relaxed, ToBits(before));
        scheduler->SetQuiet(was_quiet);
      }
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

inline void Fence(MemoryOrder order, Site where = Site::current()) {
  model::Scheduler* scheduler = model::Current();
  if (scheduler == nullptr) return;
  scheduler->Step({model::OperationKind::kFence, nullptr, "", where});
  scheduler->Fence(order);
}

}  // namespace twingrad::sync
