// Access: what a kernel declares of the memory it touches. Only the fake runtime asks.
#pragma once

#include <cstddef>

namespace twingrad::cuda::fake {

// Bytes of device memory that a kernel reads, or writes (and then may read as well).
struct Access {
  const void* data;
  size_t bytes;
  bool is_write;
};

}  // namespace twingrad::cuda::fake
