// Kernel and launch of LaunchFill; see fill.h.
#include <algorithm>

#include "cuda/fill.h"

namespace twingrad::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int64_t kMaxBlocks = 1024;

__global__ void Fill(double* data, int64_t count, double value, int64_t delay_cycles) {
  const int64_t start = clock64();
  while (clock64() - start < delay_cycles) {
  }
  const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    data[i] = value;
  }
}

}  // namespace

cudaError_t LaunchFill(double* data, int64_t count, double value, int64_t delay_cycles,
                       cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  const int64_t blocks = std::min(kMaxBlocks, (count + kThreads - 1) / kThreads);
  Fill<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(data, count, value, delay_cycles);
  return cudaGetLastError();
}

}  // namespace twingrad::cuda
