// RaceDetector: finds two accesses to one cell, one of them a write, that happens-before does not
// order.
//
// It uses vector clocks. Each thread counts its releases, a lock carries the joined clocks of the
// threads that released it, and an acquire joins the lock's clock into the thread's. Locks, spawn
// and join establish the order here, atomics in memory_model.h, which moves the same clocks as far
// as their memory orders say. The interleaving does not matter: a pair is reported even if one
// access came long after the other in this execution.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "autograd/sync/model/scheduler.h"
#include "proptests/interleave/checker/clock.h"
#include "proptests/interleave/strategies/thread_set.h"

namespace twingrad::interleave {

using sync::model::Identity;
using sync::model::Operation;
using sync::model::OperationKind;
using sync::model::ThreadId;

// What a checker records about each live object, looked up by the object's Identity. T::Clear()
// must restore the state of a new T.
//
// The identity holds an index, which is valid only if the entry at that index names the same
// identity. So an index left over from an earlier execution, or from another checker, finds
// nothing. Entries and their memory are reused: an execution like the previous one allocates
// nothing.
template <class T>
class Histories {
 public:
  T* Find(const Identity& object) {
    const size_t index = size_t{object.slot} - 1;  // slot 0 wraps around and is out of range
    return index < used_ && entries_[index].object == &object ? &entries_[index].history : nullptr;
  }
  T& Get(const Identity& object) {
    T* const found = Find(object);
    return found != nullptr ? *found : Make(object);
  }
  void Forget(const Identity& object) {
    if (Find(object) == nullptr) return;
    const uint32_t index = object.slot - 1;
    entries_[index].object = nullptr;
    free_.push_back(index);
    object.slot = 0;
  }
  // Forgets every object.
  void Clear() {
    used_ = 0;
    free_.clear();
  }

 private:
  struct Entry {
    const Identity* object = nullptr;
    T history;
  };

  T& Make(const Identity& object) {
    uint32_t index = 0;
    if (!free_.empty()) {
      index = free_.back();
      free_.pop_back();
    } else {
      index = static_cast<uint32_t>(used_++);
      if (entries_.size() < used_) entries_.resize(used_);
    }
    Entry& entry = entries_[index];
    entry.object = &object;
    entry.history.Clear();
    object.slot = index + 1;
    return entry.history;
  }

  std::vector<Entry> entries_;
  size_t used_ = 0;  // entries used in this execution
  std::vector<uint32_t> free_;
};

struct Race {
  std::string text;  // with both source lines
  std::array<std::string, 2> places;
};

class RaceDetector {
 public:
  RaceDetector() { Reset(); }

  // Forgets everything, for a new execution that begins with thread 0 alone.
  void Reset();
  void Spawn(ThreadId parent, ThreadId child);
  // Call when `thread` has joined `ended`.
  void Join(ThreadId thread, ThreadId ended);
  void Acquire(ThreadId thread, const Identity& object);
  void Release(ThreadId thread, const Identity& object);
  // The thread's own time, which advances with each release.
  uint32_t TimeOf(ThreadId thread) const { return ClockOf(thread).At(thread); }
  // Whether everything `other` did up to its own time `time` happens before what `thread` does now.
  bool Knows(ThreadId thread, ThreadId other, uint32_t time) const {
    return ClockOf(thread).At(other) >= time;
  }
  // The clocks, for the memory model. Who hands a copy of a thread's clock on must Tick it.
  const Clock& ClockOf(ThreadId thread) const { return threads_[static_cast<size_t>(thread)]; }
  Clock& ClockOf(ThreadId thread) { return threads_[static_cast<size_t>(thread)]; }
  void Tick(ThreadId thread) { ++ClockOf(thread).times[static_cast<size_t>(thread)]; }
  size_t thread_count() const { return thread_count_; }
  // Call when the object, a cell or a synchronisation object, is destroyed.
  void Forget(const Identity& object) {
    objects_.Forget(object);
    cells_.Forget(object);
  }

  // Records the access. Returns the race that it completes, or nothing.
  std::optional<Race> Access(ThreadId thread, const Operation& operation, const Identity& cell) {
    CellHistory& history = cells_.Get(cell);
    if (IsOrdered(thread, operation, history)) return std::nullopt;
    return RaceOf(thread, operation, history);
  }

 private:
  struct Visit {
    uint32_t time = 0;  // 0: never
    std::source_location where;
  };
  struct CellHistory {
    ThreadId writer = 0;
    Visit write;
    uint64_t readers = 0;      // bit i: thread i has read since the write
    std::vector<Visit> reads;  // by thread; only entries of `readers` are meaningful

    void Clear() {
      writer = 0;
      write = Visit();
      readers = 0;
    }
  };

  void AddThread();
  // Whether all conflicting accesses happened before this one. If so, adds this one to the history.
  bool IsOrdered(ThreadId thread, const Operation& operation, CellHistory& cell) const {
    const Clock& clock = ClockOf(thread);
    if (cell.write.time > clock.At(cell.writer)) return false;
    const Visit now{clock.At(thread), operation.where};
    const auto index = static_cast<size_t>(thread);
    if (operation.kind == OperationKind::kCellRead) {
      if (cell.reads.size() <= index) cell.reads.resize(index + 1);
      cell.reads[index] = now;
      cell.readers |= Bit(thread);
      return true;
    }
    if (FirstUnordered(clock, cell) != sync::model::kNoThread) return false;
    cell.readers = 0;
    cell.writer = thread;
    cell.write = now;
    return true;
  }
  // A thread whose read does not happen before `clock`; kNoThread if there is none.
  static ThreadId FirstUnordered(const Clock& clock, const CellHistory& cell) {
    for (uint64_t rest = cell.readers; rest != 0; rest &= rest - 1) {
      const ThreadId reader = std::countr_zero(rest);
      if (cell.reads[static_cast<size_t>(reader)].time > clock.At(reader)) return reader;
    }
    return sync::model::kNoThread;
  }
  Race RaceOf(ThreadId thread, const Operation& operation, const CellHistory& cell) const;

  std::vector<Clock> threads_;
  size_t thread_count_ = 0;
  Histories<Clock> objects_;
  Histories<CellHistory> cells_;
};

}  // namespace twingrad::interleave
