// Launch: how every kernel is started, by nvcc's code on a GPU and by the host's on the fake
// runtime.
//
//   struct Scale {                                      // a kernel is a functor
//     static constexpr const char* kName = "scale";
//     double* data;
//     int64_t count;
//     std::vector<Access> Accesses() const { return {{data, count * sizeof(double), true}}; }
//     AG_DEVICE void operator()(const Place& place) const {
//       for (int64_t i = place.Index(); i < count; i += place.Stride()) data[i] *= 2;
//     }
//   };
//   cudaError_t status = Launch(Scale{data, count}, blocks, threads, /*shared_bytes=*/0, stream);
//
// Only .cu files include this: in the build for GPUs nvcc compiles them, in that for the fake
// runtime the host's compiler (tools/rules/cuda.bzl). There a kernel runs block by block, thread by
// thread, and may touch what it declares by Accesses and nothing else.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "autograd/base/device_code.h"
#include "cuda/fake/access.h"

#if defined(TWINGRAD_FAKE_CUDA)
#include "cuda/fake/launch.h"
#endif

namespace twingrad::cuda {

using fake::Access;

// Where in its grid a thread of a kernel is.
struct Place {
  unsigned block;
  unsigned thread;
  unsigned blocks;
  unsigned threads;  // of one block

  // Of the thread among all, and how many those are.
  AG_DEVICE int64_t Index() const { return static_cast<int64_t>(block) * threads + thread; }
  AG_DEVICE int64_t Stride() const { return static_cast<int64_t>(blocks) * threads; }

  // Cycles since some time ago.
  AG_DEVICE int64_t Clock() const {
#if defined(TWINGRAD_FAKE_CUDA)
    return fake::Clock();
#elif defined(__CUDA_ARCH__)
    return clock64();
#else
    return 0;  // nvcc compiles it for the host as well, which never calls it
#endif
  }
};

#if defined(TWINGRAD_FAKE_CUDA)
// Its kName, or what it says itself.
template <class Kernel>
std::string NameOf(const Kernel& kernel) {
  if constexpr (requires { kernel.Name(); }) {
    return kernel.Name();
  } else {
    return Kernel::kName;
  }
}

template <class Kernel>
cudaError_t Launch(const Kernel& kernel, unsigned blocks, unsigned threads, size_t shared_bytes,
                   cudaStream_t stream) {
  fake::LaunchOnHost(NameOf(kernel), {blocks, threads, shared_bytes}, kernel.Accesses(), stream,
                     [=] {
                       for (unsigned block = 0; block < blocks; ++block) {
                         for (unsigned thread = 0; thread < threads; ++thread) {
                           kernel(Place{block, thread, blocks, threads});
                         }
                       }
                     });
  return cudaGetLastError();  // as below, with an earlier error if there is one
}
#else
template <class Kernel>
__global__ void Run(Kernel kernel) {
  kernel(Place{blockIdx.x, threadIdx.x, gridDim.x, blockDim.x});
}

template <class Kernel>
cudaError_t Launch(const Kernel& kernel, unsigned blocks, unsigned threads, size_t shared_bytes,
                   cudaStream_t stream) {
  // Only the fake runtime asks for these; no kernel is without.
  static_cast<void>(&Kernel::Accesses);
  static_cast<void>(Kernel::kName);
  Run<<<blocks, threads, shared_bytes, stream>>>(kernel);
  return cudaGetLastError();
}
#endif

}  // namespace twingrad::cuda
