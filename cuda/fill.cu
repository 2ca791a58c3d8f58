// Kernel and launch of LaunchFill; see fill.h.
#include <algorithm>
#include <vector>

#include "cuda/fill.h"
#include "cuda/launch.h"

namespace twingrad::cuda {
namespace {

constexpr unsigned kThreads = 256;
constexpr int64_t kMaxBlocks = 1024;

struct Fill {
  static constexpr const char* kName = "fill";
  double* data;
  int64_t count;
  double value;
  int64_t delay_cycles;

  std::vector<Access> Accesses() const {
    return {{data, static_cast<size_t>(count) * sizeof(double), true}};
  }
  AG_DEVICE void operator()(const Place& place) const {
    const int64_t start = place.Clock();
    while (place.Clock() - start < delay_cycles) {
    }
    for (int64_t i = place.Index(); i < count; i += place.Stride()) data[i] = value;
  }
};

}  // namespace

cudaError_t LaunchFill(double* data, int64_t count, double value, int64_t delay_cycles,
                       cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  const int64_t blocks = std::min(kMaxBlocks, (count + kThreads - 1) / kThreads);
  return Launch(Fill{data, count, value, delay_cycles}, static_cast<unsigned>(blocks), kThreads,
                /*shared_bytes=*/0, stream);
}

}  // namespace twingrad::cuda
