// How the bodies of kernels (autograd/tensor/body.h) run on CUDA: each is a kernel whose threads
// share its pieces.
//
//   const bool kKnown = Know<FillBody<float>, FillBody<double>>();   // in a .cu file, before main
//
// Only .cu files include this.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "autograd/base/span.h"
#include "autograd/device/stream.h"
#include "autograd/tensor/body.h"
#include "cuda/current_device.h"
#include "cuda/launch.h"
#include "cuda/native_stream.h"
#include "cuda/status.h"

namespace twingrad::cuda {

template <class Body>
struct Pieces {
  static constexpr const char* kName = Body::kName;
  static constexpr size_t kMostAccesses = 6;

  const char* op;
  Body body;
  int64_t count;
  size_t num_accesses;
  BodyAccess accesses[kMostAccesses];

  // In reports: of which operation, and whose work.
  std::string Name() const { return std::string(op) + " in " + std::string(CurrentWorkLabel()); }
  std::vector<Access> Accesses() const {
    std::vector<Access> all;
    for (size_t i = 0; i < num_accesses; ++i) {
      all.push_back({accesses[i].data, accesses[i].bytes, accesses[i].is_write});
    }
    return all;
  }
  AG_DEVICE void operator()(const Place& place) const {
    for (int64_t i = place.Index(); i < count; i += place.Stride()) body(i);
  }
};

template <class Body>
void LaunchBody(const char* op, const Body& body, int64_t count, Span<const BodyAccess> accesses,
                Stream stream) {
  constexpr int64_t kThreads = 256, kMostBlocks = 4096;
  const int64_t blocks = std::min(kMostBlocks, (count + kThreads - 1) / kThreads);
  Pieces<Body> pieces{op, body, count, accesses.size(), {}};
  std::copy(accesses.begin(), accesses.end(), pieces.accesses);
  const cudaStream_t native = NativeStream(stream);
  const CurrentDevice current(stream.device.index);
  ThrowIfFailed(Launch(pieces, static_cast<unsigned>(blocks), kThreads, /*shared_bytes=*/0, native),
                std::string("launching ") + op);
}

// Sets the launchers of these bodies.
template <class... Bodies>
bool Know() {
  ((launcher_of<Bodies> = LaunchBody<Bodies>), ...);
  return true;
}

}  // namespace twingrad::cuda
