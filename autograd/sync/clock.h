// Now and SleepFor: the steady clock of production code.
//
// Under the model, time is virtual: it moves only when every thread waits, so a time-out costs
// nothing and is the same in every replay. Outside an execution it stands still at its beginning.
#pragma once

#include <chrono>

#include "autograd/sync/backend.h"

#if defined(AUTOGRAD_SYNC_MODEL)
#include "autograd/sync/model/scheduler.h"
#else
#include <thread>
#endif

namespace twingrad::sync {

using Duration = std::chrono::nanoseconds;
using TimePoint = std::chrono::time_point<std::chrono::steady_clock, Duration>;

#if defined(AUTOGRAD_SYNC_MODEL)
inline TimePoint Now() {
  const model::Scheduler* scheduler = model::Current();
  return scheduler != nullptr ? scheduler->Now() : TimePoint();
}
inline void SleepFor(Duration duration, Site where = Site::current()) {
  model::Scheduler* scheduler = model::Current();
  if (scheduler == nullptr) return;
  const char unique = 0;  // its address is an object that nobody wakes
  scheduler->Wait({model::OperationKind::kSleep, &unique, "", where}, Now() + duration);
}
#else
inline TimePoint Now() { return std::chrono::steady_clock::now(); }
inline void SleepFor(Duration duration) { std::this_thread::sleep_for(duration); }
#endif

}  // namespace twingrad::sync
