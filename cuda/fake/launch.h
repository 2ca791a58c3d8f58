// LaunchOnHost: how cuda/launch.h queues a kernel of which the host's compiler made a function.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cuda/fake/access.h"

namespace twingrad::cuda::fake {

struct Geometry {
  unsigned blocks;
  unsigned threads;  // of one block
  size_t shared_bytes;
};

// Queues `run`, all blocks of a kernel. While it runs the blocks of memory in `accesses` may be
// read, those written be written, and no other device memory be touched.
cudaError_t LaunchOnHost(const std::string& name, const Geometry& geometry,
                         std::vector<Access> accesses, cudaStream_t stream,
                         std::function<void()> run);
// A clock of so coarse a grain that each look at it shows another hour: what waits for a number of
// cycles waits for one look.
int64_t Clock();

}  // namespace twingrad::cuda::fake
