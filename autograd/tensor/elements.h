// Memory for the elements of tensors that do not fit their own block.
//
//   void* data = elements::Allocate(bytes);    // nullptr where there is none
//   elements::Free(data, bytes);
//
// Fresh memory of the system costs a page fault for each 4 KiB, more than most kernels need to fill
// it. So large blocks are kept when they are freed, 256 of them and kMostKept bytes of all threads
// together, for the next tensor of about their size; all that are kept go back to the system where
// that has no more. Of small ones each thread keeps a few of each power of two. Nothing is kept
// where AG_POOL_PASSES_THROUGH (pool.h), and no large one in a forked child. Any thread.

#pragma once

#include <cstddef>

namespace twingrad::elements {

inline constexpr size_t kLarge = size_t{64} << 10;
inline constexpr size_t kMostKept = size_t{256} << 20;

// On a cache line, from 16 KiB on where a page begins.
void* Allocate(size_t bytes) noexcept;
// `bytes` as given to Allocate.
void Free(void* data, size_t bytes) noexcept;

// Bytes of large blocks that are kept.
size_t Kept();

}  // namespace twingrad::elements
