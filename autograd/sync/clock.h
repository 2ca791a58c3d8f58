// Now and SleepFor: the steady clock of production code.
//
// Under the model, time is virtual: it moves only when every thread waits, so a time-out costs
// nothing and is the same in every replay.
#pragma once

#include <chrono>

#include "autograd/sync/backend.h"

namespace twingrad::sync {

using Duration = std::chrono::nanoseconds;
using TimePoint = std::chrono::time_point<std::chrono::steady_clock, Duration>;

}  // namespace twingrad::sync

#if defined(AUTOGRAD_SYNC_MODEL)
#include "autograd/sync/model/clock.h"  // IWYU pragma: export
#else
#include "autograd/sync/standard/clock.h"  // IWYU pragma: export
#endif
