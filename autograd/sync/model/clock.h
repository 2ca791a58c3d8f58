// The virtual clock of the model. Included by autograd/sync/clock.h only.
#pragma once

#include <source_location>

#include "autograd/sync/model/scheduler.h"

namespace twingrad::sync {

// Outside an execution time stands still at its beginning.
inline TimePoint Now() {
  const model::Scheduler* scheduler = model::Current();
  return scheduler != nullptr ? scheduler->Now() : TimePoint();
}

inline void SleepFor(Duration duration,
                     std::source_location where = std::source_location::current()) {
  model::Scheduler* scheduler = model::Current();
  if (scheduler == nullptr) return;
  const char unique = 0;  // its address is an object that nobody wakes
  scheduler->Wait({model::OperationKind::kSleep, &unique, "", where}, Now() + duration);
}

}  // namespace twingrad::sync
