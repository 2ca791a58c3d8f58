// ForkMark: whether the threads that an object has started are still there, or were left behind in
// the process of which this one is a forked child.
//
//   mark_.Set();                       // before the first thread is started
//   if (mark_.IsStale()) return;       // in a child: join nobody, take no lock
//
// fork copies only the calling thread: locks that others held stay held for ever, and threads that
// are not there cannot be joined. So a child asks before it touches either. The handler that fork
// calls in the child only counts. Any thread; IsStale costs two relaxed loads.
#pragma once

#include <cstdint>

#include "autograd/sync/backend.h"

#if !defined(AUTOGRAD_SYNC_MODEL)
#include <pthread.h>

#include <atomic>
#endif

namespace twingrad::sync {

#if defined(AUTOGRAD_SYNC_MODEL)
// Executions of the model do not fork.
class ForkMark {
 public:
  void Set() {}
  bool IsStale() const { return false; }
};
#else
class ForkMark {
 public:
  void Set() {
    // Registered once in the process; the initialisation of a local static is thread-safe.
    [[maybe_unused]] static const int registered =
        pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
    uint32_t unset = 0;
    set_in_.compare_exchange_strong(unset, forks.load(std::memory_order_relaxed) + 1,
                                    std::memory_order_relaxed);
  }
  bool IsStale() const {
    const uint32_t set_in = set_in_.load(std::memory_order_relaxed);
    return set_in != 0 && set_in != forks.load(std::memory_order_relaxed) + 1;
  }

 private:
  // How many forks lie between the process that set the first mark and this one.
  static inline std::atomic<uint32_t> forks{0};
  std::atomic<uint32_t> set_in_{0};
};
#endif

}  // namespace twingrad::sync
