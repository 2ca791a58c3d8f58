// Atomic<T>: the operations of std::atomic under names of their own, the memory order always
// written.
//
//   sync::Atomic<uint32_t> pending{3};
//   if (pending.FetchSub(1, sync::kAcqRel) == 1) Complete();
//
// No implicit conversion, no default order: an order that costs, or that is too weak, is seen in
// review. Every access is a scheduling point of the model. Fence(order) is
// std::atomic_thread_fence, which ThreadSanitizer does not understand.
#pragma once

#include <atomic>

#include "autograd/sync/backend.h"

namespace twingrad::sync {

using MemoryOrder = std::memory_order;
inline constexpr MemoryOrder kRelaxed = std::memory_order_relaxed;
inline constexpr MemoryOrder kAcquire = std::memory_order_acquire;
inline constexpr MemoryOrder kRelease = std::memory_order_release;
inline constexpr MemoryOrder kAcqRel = std::memory_order_acq_rel;
inline constexpr MemoryOrder kSeqCst = std::memory_order_seq_cst;

}  // namespace twingrad::sync

#if defined(AUTOGRAD_SYNC_MODEL)
#include "autograd/sync/model/atomic.h"  // IWYU pragma: export
#else
#include "autograd/sync/standard/atomic.h"  // IWYU pragma: export
#endif
