// WatchScope: code that only watches, such as a recorder that an observer calls in the midst of a
// run.
//
//   const sync::WatchScope watching;   // first in the function
//   sync::MutexLock lock(mutex_);
//
// Nothing in the standard back end. Under the model, what the block does is one step with what is
// around it and orders nothing: watching neither adds interleavings nor hides a race.
#pragma once

#include "autograd/sync/backend.h"

#if defined(AUTOGRAD_SYNC_MODEL)
#include "autograd/sync/model/scheduler.h"
#endif

namespace twingrad::sync {

class [[nodiscard]] WatchScope {
 public:
#if defined(AUTOGRAD_SYNC_MODEL)
  WatchScope() : scheduler_(model::Current()) {
    if (scheduler_ != nullptr) before_ = scheduler_->SetQuiet(true);
  }
  ~WatchScope() {
    if (scheduler_ != nullptr) scheduler_->SetQuiet(before_);
  }

 private:
  model::Scheduler* scheduler_;
  bool before_ = false;

 public:
#else
  WatchScope() {}  // not trivial: a scope that is never used is no unused variable
  ~WatchScope() {}
#endif
  WatchScope(const WatchScope&) = delete;
  WatchScope& operator=(const WatchScope&) = delete;
};

}  // namespace twingrad::sync
