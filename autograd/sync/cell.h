// Cell<T>: a plain variable that threads share.
//
//   sync::Cell<int> sum_ AG_GUARDED_BY(mutex_){0};   // or: written by its owner, read after Join()
//   sum_.Write(3);
//   ++sum_.Mutable();
//
// In the standard back end it is a T and costs what a T costs: no atomics, no locks. Under the
// model two accesses that no synchronisation orders, one of them a write, are reported. An access
// is no scheduling point: what comes between it and the thread's step before cannot change whether
// a race is seen, and after a race an execution does not go on.
#pragma once

#include <utility>

#include "autograd/sync/backend.h"

#if defined(AUTOGRAD_SYNC_MODEL)
#include "autograd/sync/model/scheduler.h"
#endif

namespace twingrad::sync {

// What the race detector is told of a cell; nothing in the standard back end.
class CellAccesses {
 public:
#if defined(AUTOGRAD_SYNC_MODEL)
  void Add(const void* cell, bool writes, Site where) const {
    model::Scheduler* scheduler = model::Current();
    if (scheduler == nullptr) return;
    using enum model::OperationKind;
    scheduler->Access({writes ? kCellWrite : kCellRead, cell, "", where}, identity_);
  }

 private:
  model::Identity identity_;
#else
  void Add(const void* /*cell*/, bool /*writes*/, Site /*where*/) const {}
#endif
};

template <typename T>
class Cell {
 public:
  constexpr Cell() = default;
  constexpr explicit Cell(T value) : value_(std::move(value)) {}
  Cell(const Cell&) = delete;
  Cell& operator=(const Cell&) = delete;

  const T& Read(Site where = Site::current()) const {
    accesses_.Add(this, /*writes=*/false, where);
    return value_;
  }
  void Write(T value, Site where = Site::current()) {
    accesses_.Add(this, /*writes=*/true, where);
    value_ = std::move(value);
  }
  // For changes in place; counts as a write.
  T& Mutable(Site where = Site::current()) {
    accesses_.Add(this, /*writes=*/true, where);
    return value_;
  }
  // For a checker that has stopped all threads.
  const T& Peek() const { return value_; }

 private:
  T value_{};
  [[no_unique_address]] CellAccesses accesses_;
};

}  // namespace twingrad::sync
