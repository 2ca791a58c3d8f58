// The entry points of devices. CUDA_VISIBLE_DEVICES hides them, as it does those of CUDA.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "cuda/fake/runtime.h"

using namespace twingrad::cuda::fake;  // NOLINT: the entry points stand outside of every namespace

namespace {

// As many as the variable lists; all where it is not set.
int VisibleDevices() {
  const char* const listed = std::getenv("CUDA_VISIBLE_DEVICES");
  if (listed == nullptr) return kDevices;
  const std::string_view names = listed;
  if (names.empty()) return 0;
  return std::min(kDevices, 1 + static_cast<int>(std::count(names.begin(), names.end(), ',')));
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  return Enter("cudaGetDeviceCount", [&](Runtime&) {
    *count = VisibleDevices();
    return *count == 0 ? cudaErrorNoDevice : cudaSuccess;
  });
}

// Asks nothing of a device, so it answers when all other calls fail.
cudaError_t cudaGetDevice(int* device) {
  *device = StateOfThread().device;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  if (StateOfThread().is_inside) return StateOfThread().last_error = cudaErrorNotPermitted;
  if (device < 0 || device >= VisibleDevices()) {
    return StateOfThread().last_error = cudaErrorInvalidDevice;
  }
  const int previous = StateOfThread().device;
  StateOfThread().device = device;
  const cudaError_t status = Enter("cudaSetDevice", [](Runtime&) { return cudaSuccess; });
  if (status != cudaSuccess) StateOfThread().device = previous;
  return status;
}

cudaError_t cudaDeviceSynchronize() {
  return Enter("cudaDeviceSynchronize", [](Runtime& runtime) {
    runtime.FinishDevice(StateOfThread().device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return Enter("cudaDeviceGetAttribute", [&](Runtime&) {
    if (device < 0 || device >= kDevices) return cudaErrorInvalidDevice;
    switch (attribute) {
      case cudaDevAttrMaxThreadsPerBlock:
        *value = kMostThreads;
        return cudaSuccess;
      case cudaDevAttrMaxSharedMemoryPerBlock:
        *value = kMostSharedBytes;
        return cudaSuccess;
      case cudaDevAttrWarpSize:
        *value = 32;
        return cudaSuccess;
      case cudaDevAttrMultiProcessorCount:
        *value = 2;  // few, so that kernels meet grids smaller than their data
        return cudaSuccess;
      case cudaDevAttrMemoryPoolsSupported:
        *value = 1;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}
