// TaskId: the number by which nodes name the task that holds them.
//
// A task is alive as long as its TaskId object. A node's claim word names a task and is never
// cleaned up: a claim by a task that is no longer alive may be taken over. Any thread.

#pragma once

#include <cstdint>

#include "autograd/sync/atomic.h"

namespace twingrad {

class TaskId {
 public:
  TaskId();
  ~TaskId();
  TaskId(const TaskId&) = delete;
  TaskId& operator=(const TaskId&) = delete;

  // Of no task and in no word: a word of a node that nobody holds has 0.
  static constexpr uint32_t kNobody = UINT32_MAX;

  // 0: too many tasks are alive, this one claims no nodes and keeps a map instead.
  uint32_t claim_id() const { return claim_id_; }
  // Unique in the process.
  uint64_t number() const { return number_; }

  static bool IsAlive(uint32_t claim_id) { return claim_id != 0 && IsInTable(claim_id); }

 private:
  // A task's id is in place id % kPlaces while it is alive. A power of two.
  static constexpr uint32_t kPlaces = 256;
  struct Table {
    sync::Atomic<uint32_t> place[kPlaces];
    sync::Atomic<uint64_t> next_number{1};
  };
  static bool IsInTable(uint32_t claim_id) {
    return table.place[claim_id % kPlaces].Load(sync::kAcquire) == claim_id;
  }

  static Table table;
  uint32_t claim_id_ = 0;
  uint64_t number_;
};

}  // namespace twingrad
