// SavedReaders: threads that read saved tensors without taking the lock that guards them.
//
//   SavedReaders::Scope scope(keeps_graph);       // around a run on this thread
//   place->Begin(lock) ... place->End();          // the thread reads what `lock` guards
//   SavedReaders::WaitFor(lock);                  // by a holder of the lock, before changing it
//
// A run that keeps the graph only looks at what nodes have saved. A lock and counts of references
// would have it write, at each node, memory that other callers over the graph write as well, and
// take the cache lines from each other. Instead a thread that applies a node names the node's lock
// in a place of its own, a hazard pointer (M. Michael, "Hazard pointers: safe memory reclamation
// for lock-free objects", IEEE TPDS 15 (2004)), and who releases waits until nobody names it: at
// most for one built-in operation.
//
// The order is that of sequential consistency: the reader names the lock, then sees whether it is
// held; the other takes it, then sees whether it is named. One of the two sees the other.
//
// In a forked child nobody reads so: threads that are gone may have left names.

#pragma once

#include <cstdint>

#include "autograd/graph/thread_state.h"
#include "autograd/sync/atomic.h"

namespace twingrad {

using LockByte = sync::Atomic<uint8_t>;  // 0: free

// Of one thread at a time, on cache lines of its own.
class alignas(64) SavedReader {
 public:
  // Whether what the lock guards may be read until End. No user's code runs between them.
  bool Begin(const LockByte& lock);
  void End() { reads_.Store(nullptr, sync::kRelease); }

 private:
  friend class SavedReaders;
  sync::Atomic<const LockByte*> reads_{nullptr};
  sync::Atomic<bool> is_taken_{false};
};

class SavedReaders {
 public:
  // Gives the thread a place until the end of the block, if it `reads` and one is free; else there
  // is none. CurrentThread().reader is it.
  class [[nodiscard]] Scope {
   public:
    explicit Scope(bool reads);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    SavedReader* const before_;
    SavedReader* const place_;
  };

  static void WaitFor(const LockByte& lock) {
    if (table.count.Load(sync::kSeqCst) != 0) [[unlikely]]
      WaitForEach(lock);
  }

 private:
  static constexpr int kPlaces = 64;
  struct Table {
    alignas(64) sync::Atomic<int> count{0};  // of the scopes that have a place
    SavedReader places[kPlaces];
  };
  static SavedReader* Take();
  static void WaitForEach(const LockByte& lock);

  static Table table;
};

}  // namespace twingrad
