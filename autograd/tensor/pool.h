// Pool: memory for the small objects that a backward pass makes and drops by the million.
//
//   void* block = pool::Allocate(sizeof(MulNode));
//   pool::Free(block, sizeof(MulNode));
//
// Each thread keeps free lists by size class; taking a block from a list costs a few instructions,
// no lock and no atomic. A block may be freed by another thread than the one that took it. Lists are
// bounded, what exceeds them goes back to the system, and a thread that ends frees its lists.
// Sizes above kLargest go straight to the system. Under AddressSanitizer every block does, so that
// use after free is still seen.

#ifndef AUTOGRAD_TENSOR_POOL_H_
#define AUTOGRAD_TENSOR_POOL_H_

#include <cstddef>
#include <cstdint>
#include <new>

#include "autograd/sync/thread_local.h"

#if defined(__SANITIZE_ADDRESS__)
#define AG_POOL_PASSES_THROUGH 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define AG_POOL_PASSES_THROUGH 1
#endif
#endif

namespace autograd::pool {

inline constexpr size_t kGranule = 32;
inline constexpr size_t kLargest = 512;
inline constexpr size_t kNumClasses = kLargest / kGranule;
// At most this many blocks wait in one list of one thread.
inline constexpr uint32_t kListLimit = 1u << 16;

struct FreeBlock {
  FreeBlock* next;
};

// Trivially destructible, so that reaching it costs no guard; Refill registers what frees it.
struct ThreadLists {
  FreeBlock* head[kNumClasses];
  uint32_t count[kNumClasses];
  enum class State : uint8_t { kUnused, kReady, kEnded } state;
};
AG_THREAD_LOCAL(ThreadLists, Lists);

// The slow paths: an empty list, a full list, a thread that starts or ends.
void* AllocateSlow(size_t bytes);
void FreeSlow(void* block, size_t bytes);

inline void* Allocate(size_t bytes) {
#if !defined(AG_POOL_PASSES_THROUGH)
  if (bytes <= kLargest) [[likely]] {
    ThreadLists& lists = Lists();
    const size_t size_class = (bytes - 1) / kGranule;
    FreeBlock* block = lists.head[size_class];
    if (block != nullptr) [[likely]] {
      lists.head[size_class] = block->next;
      --lists.count[size_class];
      return block;
    }
  }
#endif
  return AllocateSlow(bytes);
}

inline void Free(void* block, size_t bytes) {
#if !defined(AG_POOL_PASSES_THROUGH)
  if (bytes <= kLargest) [[likely]] {
    ThreadLists& lists = Lists();
    const size_t size_class = (bytes - 1) / kGranule;
    if (lists.count[size_class] < kListLimit && lists.state == ThreadLists::State::kReady)
        [[likely]] {
      auto* free_block = static_cast<FreeBlock*>(block);
      free_block->next = lists.head[size_class];
      lists.head[size_class] = free_block;
      ++lists.count[size_class];
      return;
    }
  }
#endif
  FreeSlow(block, bytes);
}

}  // namespace autograd::pool

#endif  // AUTOGRAD_TENSOR_POOL_H_
