#include "cuda/status.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/sync/once.h"

namespace twingrad::cuda {
namespace {

constexpr int kMaxDevices = 255;  // Device holds its index in a byte.

struct Devices {
  int count = 0;
  std::string why_none;

  Devices() {
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess) {
      count = 0;
      why_none = absl::StrCat("no CUDA device: ", cudaGetErrorString(status), " (",
                              cudaGetErrorName(status), ")");
      cudaGetLastError();
    } else if (count == 0) {
      why_none = "no CUDA device: the driver reports none";
    }
    count = std::min(count, kMaxDevices);
  }
};

constinit sync::Lazy<Devices> devices;

const char* AdviceFor(cudaError_t status) {
  switch (status) {
    case cudaErrorMemoryAllocation:
      return "free tensors or use smaller ones";
    case cudaErrorDevicesUnavailable:
      return "use another device, or start the process anew";
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorECCUncorrectable:
      return "after an error of a kernel every call fails until the process is started anew";
    default:
      return "correct what CUDA says of this code, or start the process anew";
  }
}

}  // namespace

void ThrowIfFailed(cudaError_t status, std::string_view what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  throw Error(ErrorKind::kDevice,
              absl::StrCat("[cuda] ", what, " failed: ", cudaGetErrorString(status), " (",
                           cudaGetErrorName(status), "); it must succeed; ", AdviceFor(status)));
}

int DeviceCount() { return devices->count; }

std::string_view WhyNoDevice() { return devices->why_none; }

}  // namespace twingrad::cuda
