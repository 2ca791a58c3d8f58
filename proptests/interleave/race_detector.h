// RaceDetector: finds two accesses to one cell, one of them a write, that nothing orders.
//
// Vector clocks: each thread counts its releases; an object carries the clock of those who released
// it; an acquire joins it. Locks, atomics (as far as their memory order says), spawn and join make
// the order. The verdict does not depend on the interleaving at hand: a pair is reported although
// in this execution one came long after the other.
#ifndef PROPTESTS_INTERLEAVE_RACE_DETECTOR_H_
#define PROPTESTS_INTERLEAVE_RACE_DETECTOR_H_

#include <array>
#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "autograd/sync/model/scheduler.h"
#include "proptests/interleave/histories.h"

namespace twingrad::interleave {

inline constexpr int kMaxThreads = 64;

struct Race {
  std::string text;  // with both source lines
  std::array<std::string, 2> places;
};

class RaceDetector {
 public:
  using Identity = autograd::sync::model::Identity;
  using ThreadId = autograd::sync::model::ThreadId;

  RaceDetector() { Reset(); }

  // Forgets everything: a new execution begins, with thread 0 only.
  void Reset();
  void Spawn(ThreadId parent, ThreadId child);
  // `thread` has waited for the end of `ended`.
  void Join(ThreadId thread, ThreadId ended);
  void Acquire(ThreadId thread, const Identity& object);
  void Release(ThreadId thread, const Identity& object);
  // The thread's own time, which moves with each release.
  uint32_t TimeOf(ThreadId thread) const { return At(ClockOf(thread), thread); }
  // Whether what `other` had done at that time of its own happened before what `thread` does now.
  bool Knows(ThreadId thread, ThreadId other, uint32_t time) const {
    return At(ClockOf(thread), other) >= time;
  }
  // The object ends; it is a cell or orders others.
  void Forget(const Identity& object) {
    objects_.Forget(object);
    cells_.Forget(object);
  }

  // The race that this access completes, or nothing.
  std::optional<Race> Access(ThreadId thread, const autograd::sync::model::Operation& operation,
                             const Identity& cell);

 private:
  // By thread. Joined in blocks of eight, as many as the execution has threads for.
  static constexpr size_t kBlock = 8;
  struct Clock {
    void Clear() { times.fill(0); }
    std::array<uint32_t, kMaxThreads> times = {};
  };
  struct Visit {
    uint32_t time = 0;  // 0: never
    std::source_location where;
  };
  struct CellHistory {
    ThreadId writer = autograd::sync::model::kNoThread;
    Visit write;
    std::vector<Visit> reads;  // by thread

    void Clear() {
      writer = autograd::sync::model::kNoThread;
      write = Visit();
      reads.clear();
    }
  };

  static uint32_t At(const Clock& clock, ThreadId thread) {
    return clock.times[static_cast<size_t>(thread)];
  }
  void JoinInto(Clock& clock, const Clock& other) const;
  Clock& ClockOf(ThreadId thread) { return threads_[static_cast<size_t>(thread)]; }
  const Clock& ClockOf(ThreadId thread) const { return threads_[static_cast<size_t>(thread)]; }
  uint32_t& OwnTime(ThreadId thread) { return ClockOf(thread).times[static_cast<size_t>(thread)]; }
  void AddThread();
  bool HappensBefore(ThreadId earlier, const Visit& visit, ThreadId now) const {
    return earlier == now || visit.time <= At(ClockOf(now), earlier);
  }

  std::vector<Clock> threads_;
  size_t thread_count_ = 0;
  Histories<Clock> objects_;
  Histories<CellHistory> cells_;
};

}  // namespace twingrad::interleave

#endif  // PROPTESTS_INTERLEAVE_RACE_DETECTOR_H_
