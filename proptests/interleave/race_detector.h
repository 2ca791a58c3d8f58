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

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "autograd/sync/model/scheduler.h"

namespace twingrad::interleave {

inline constexpr int kMaxThreads = 64;

struct Race {
  std::string text;  // with both source lines
  std::array<std::string, 2> places;
};

class RaceDetector {
 public:
  using ThreadId = autograd::sync::model::ThreadId;

  // Forgets everything: a new execution begins, with thread 0 only.
  void Reset();
  void Spawn(ThreadId parent, ThreadId child);
  // `thread` has waited for the end of `ended`.
  void Join(ThreadId thread, ThreadId ended);
  void Acquire(ThreadId thread, const void* object);
  void Release(ThreadId thread, const void* object);
  // The thread's own time, which moves with each release.
  uint32_t TimeOf(ThreadId thread) const;
  // Whether what `other` had done at that time of its own happened before what `thread` does now.
  bool Knows(ThreadId thread, ThreadId other, uint32_t time) const;
  // What lives at this address ends: the next object there has no history and orders nothing.
  void Forget(const void* object) {
    cells_.erase(object);
    objects_.erase(object);
  }

  // The race that this access completes, or nothing.
  std::optional<Race> Access(ThreadId thread, const autograd::sync::model::Operation& operation);

 private:
  using Clock = absl::InlinedVector<uint32_t, 8>;  // by thread; one beyond the end is at 0
  struct Visit {
    uint32_t time = 0;  // 0: never
    std::source_location where;
  };
  struct CellHistory {
    ThreadId writer = autograd::sync::model::kNoThread;
    Visit write;
    std::vector<Visit> reads;  // by thread
  };

  static uint32_t At(const Clock& clock, ThreadId thread);
  static void JoinInto(Clock& clock, const Clock& other);
  Clock& ClockOf(ThreadId thread);
  bool HappensBefore(ThreadId earlier, const Visit& visit, ThreadId now);

  std::vector<Clock> threads_;
  absl::flat_hash_map<const void*, Clock> objects_;
  absl::flat_hash_map<const void*, CellHistory> cells_;
};

}  // namespace twingrad::interleave

#endif  // PROPTESTS_INTERLEAVE_RACE_DETECTOR_H_
