// Writes one value into device memory, optionally after a delay: the smallest kernel that shows the
// order of work.
//
// The delay keeps a stream busy, so that a test sees when work that should wait for the stream runs
// too early.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace twingrad::cuda {

// Queues on the stream: wait for about `delay_cycles` clock cycles, then write `value` to each of
// the `count` elements at `data` (device memory). Returns what the launch returned.
cudaError_t LaunchFill(double* data, int64_t count, double value, int64_t delay_cycles,
                       cudaStream_t stream);

}  // namespace twingrad::cuda
