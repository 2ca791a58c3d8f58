// Clock: what a thread knows of the others. Two vectors, by thread: up to which of its times
// everything that the thread did happens before now, and up to which its stores are visible.
//
// The second runs ahead of the first only where sequentially consistent fences and accesses are
// used: they order what may be read without making anything happen before anything.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "proptests/interleave/strategies/thread_set.h"

namespace twingrad::interleave {

struct Clock {
  using Times = std::array<uint32_t, kMaxThreads>;

  void Clear() {
    times.fill(0);
    if (has_view) view.fill(0);
    has_view = false;
  }
  uint32_t At(int thread) const { return times[static_cast<size_t>(thread)]; }
  // Whether a store that `thread` made at its own time `time` is visible.
  bool Sees(int thread, uint32_t time) const {
    const auto index = static_cast<size_t>(thread);
    return times[index] >= time || (has_view && view[index] >= time);
  }
  // Joins the first `threads` entries of another.
  void Join(const Clock& other, size_t threads) {
    JoinTimes(times, other.times, threads);
    if (!other.has_view) return;
    JoinTimes(view, other.view, threads);
    has_view = true;
  }
  // What the other knows becomes visible, and orders nothing.
  void JoinView(const Clock& other, size_t threads) {
    JoinTimes(view, other.times, threads);
    if (other.has_view) JoinTimes(view, other.view, threads);
    has_view = true;
  }

  Times times = {};
  Times view = {};
  bool has_view = false;  // false: `view` is all 0

 private:
  // In blocks of eight entries, only as many as the execution's threads fill.
  static constexpr size_t kBlock = 8;
  static void JoinTimes(Times& into, const Times& from, size_t threads) {
    uint32_t* __restrict mine = into.data();
    const uint32_t* __restrict theirs = from.data();
    for (size_t block = 0; block < threads; block += kBlock) {
      for (size_t i = 0; i < kBlock; ++i) mine[i] = std::max(mine[i], theirs[i]);
      mine += kBlock;
      theirs += kBlock;
    }
  }
};

}  // namespace twingrad::interleave
