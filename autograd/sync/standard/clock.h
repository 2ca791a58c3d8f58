// The clock over the standard library. Included by autograd/sync/clock.h only.
#ifndef AUTOGRAD_SYNC_STANDARD_CLOCK_H_
#define AUTOGRAD_SYNC_STANDARD_CLOCK_H_

#include <chrono>
#include <thread>

namespace twingrad::sync {

inline TimePoint Now() { return std::chrono::steady_clock::now(); }
inline void SleepFor(Duration duration) { std::this_thread::sleep_for(duration); }

}  // namespace twingrad::sync

#endif  // AUTOGRAD_SYNC_STANDARD_CLOCK_H_
