// The slow paths of the pool: system memory, and the life of a thread's lists. See pool.h.

#include "autograd/tensor/pool.h"

#include <algorithm>

namespace autograd::pool {
namespace {

// Blocks start on a cache line: the hot fields of nodes and tensors lie in the first one.
constexpr std::align_val_t kAlignment{64};

size_t RoundedUp(size_t bytes) {
  bytes = std::max<size_t>(bytes, 1);
  return (bytes + kGranule - 1) / kGranule * kGranule;
}

// Frees the lists of its thread when that ends.
struct Reaper {
  // Not trivial, so that the thread-local is registered for destruction at first use.
  ThreadLists* lists = nullptr;
  ~Reaper() {
    if (lists == nullptr) return;
    lists->state = ThreadLists::State::kEnded;
    for (size_t c = 0; c < kNumClasses; ++c) {
      while (lists->head[c] != nullptr) {
        FreeBlock* block = lists->head[c];
        lists->head[c] = block->next;
        ::operator delete(block, kAlignment);
      }
      lists->count[c] = 0;
    }
  }
};
AG_THREAD_LOCAL(Reaper, ThreadReaper);

}  // namespace

void* AllocateSlow(size_t bytes) { return ::operator new(RoundedUp(bytes), kAlignment); }

void FreeSlow(void* block, size_t bytes) {
#if !defined(AG_POOL_PASSES_THROUGH)
  ThreadLists& lists = Lists();
  if (bytes <= kLargest && lists.state == ThreadLists::State::kUnused) {
    ThreadReaper().lists = &lists;
    lists.state = ThreadLists::State::kReady;
    Free(block, bytes);
    return;
  }
#else
  (void)bytes;
#endif
  ::operator delete(block, kAlignment);
}

}  // namespace autograd::pool
