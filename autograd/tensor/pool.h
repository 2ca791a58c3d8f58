// Pool: memory for the small objects that a backward pass makes and drops by the million.
//
//   void* block = pool::Allocate(sizeof(MulNode));
//   pool::Free(block, sizeof(MulNode));
//
// Each thread keeps free lists by size class; taking a block from a list costs a few instructions,
// no lock and no atomic. A block may be freed by another thread than the one that took it: a list
// that has grown to kListLimit goes, as a whole, to a shared store, from which threads with an
// empty list help themselves, and so do the lists of a thread that ends. Memory of the pool is not
// given back to the system. Blocks whose size is a multiple of 64 begin on a cache line, those of
// 128 on an even one. Sizes above kLargest go straight there, and so does everything where
// AG_POOL_PASSES_THROUGH: under AddressSanitizer (to see use after free) and where the build says
// so (to have each execution of a checker start alike).

#pragma once

#include <cstddef>
#include <cstdint>

#include "autograd/sync/thread_local.h"

#if defined(AG_POOL_PASSES_THROUGH)
#elif defined(__SANITIZE_ADDRESS__)
#define AG_POOL_PASSES_THROUGH 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define AG_POOL_PASSES_THROUGH 1
#endif
#endif

namespace twingrad::pool {

inline constexpr size_t kGranule = 16;
inline constexpr size_t kLargest = 512;
inline constexpr size_t kNumClasses = kLargest / kGranule;
// At most this many blocks wait in one list of one thread.
inline constexpr uint32_t kListLimit = 1u << 15;

struct FreeBlock {
  FreeBlock* next;
};

// Trivially destructible, so that reaching it costs no guard; the slow paths register what empties
// it.
struct ThreadLists {
  FreeBlock* head[kNumClasses];
  uint32_t count[kNumClasses];
  // Memory not yet cut into blocks.
  char* uncut[kNumClasses];
  char* uncut_end[kNumClasses];
  // Blocks that came into the lists' hands less those that left them for other threads.
  int64_t received[kNumClasses];
  // Taken from the system by this thread less given back to it.
  int64_t large_blocks;
  int64_t large_bytes;
  enum class State : uint8_t { kUnused, kReady, kEnded } state;
};
AG_THREAD_LOCAL(ThreadLists, Lists);

// How much is in use.
struct Use {
  int64_t blocks = 0;
  int64_t bytes = 0;
  Use operator-(const Use& other) const { return {blocks - other.blocks, bytes - other.bytes}; }
};
// What this thread has taken less what it has freed; negative if it frees what others took. Costs
// nothing until it is asked for. Zero where AG_POOL_PASSES_THROUGH.
Use UseOfThread();
// What all threads have taken and not freed where AG_POOL_PASSES_THROUGH; else zero.
Use UseOfProcess();

// Memory past the pool: on a cache line, from kHugePage on in huge pages where the system has some.
inline constexpr size_t kHugePage = size_t{1} << 21;
void* AllocateArray(size_t bytes);
void FreeArray(void* array, size_t bytes);

// The slow paths: an empty list, a full list, a thread that starts or ends.
void* AllocateSlow(size_t bytes);
void FreeSlow(void* block, size_t bytes);

inline size_t ClassOf(size_t bytes) { return (bytes - 1) / kGranule; }

inline void Push(ThreadLists& lists, size_t size_class, void* block) {
  auto* free_block = static_cast<FreeBlock*>(block);
  free_block->next = lists.head[size_class];
  lists.head[size_class] = free_block;
  ++lists.count[size_class];
}

inline void* Allocate(size_t bytes) {
#if !defined(AG_POOL_PASSES_THROUGH)
  if (bytes <= kLargest) [[likely]] {
    ThreadLists& lists = Lists();
    const size_t size_class = ClassOf(bytes);
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
    const size_t size_class = ClassOf(bytes);
    if (lists.count[size_class] < kListLimit && lists.state == ThreadLists::State::kReady)
        [[likely]] {
      return Push(lists, size_class, block);
    }
  }
#endif
  FreeSlow(block, bytes);
}

}  // namespace twingrad::pool
