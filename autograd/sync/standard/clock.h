// The clock over the standard library. Included by autograd/sync/clock.h only.
#pragma once

#include <chrono>
#include <thread>

namespace twingrad::sync {

inline TimePoint Now() { return std::chrono::steady_clock::now(); }
inline void SleepFor(Duration duration) { std::this_thread::sleep_for(duration); }

}  // namespace twingrad::sync
