#include "cuda/current_device.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "autograd/base/device.h"
#include "autograd/base/error.h"
#include "cuda/status.h"

namespace twingrad::cuda {

CurrentDevice::CurrentDevice(uint8_t index) {
  if (index >= cuda::DeviceCount()) {
    throw Error(ErrorKind::kDevice,
                absl::StrCat("[cuda] there is no device ", Device::Cuda(index).ToString(), "; ",
                             cuda::DeviceCount() == 0
                                 ? std::string(WhyNoDevice())
                                 : absl::StrCat("this machine has ", cuda::DeviceCount()),
                             "; use a device that exists"));
  }
  ThrowIfFailed(cudaGetDevice(&previous_), "asking for the current device");
  if (previous_ == index) return;
  ThrowIfFailed(cudaSetDevice(index), absl::StrCat("choosing ", Device::Cuda(index).ToString()));
  changed_ = true;
}

CurrentDevice::~CurrentDevice() {
  // If it fails, that must not be taken for a failure of the next launch.
  if (changed_ && cudaSetDevice(previous_) != cudaSuccess) cudaGetLastError();
}

}  // namespace twingrad::cuda
