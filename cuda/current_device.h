// CurrentDevice: makes a device the calling thread's current one of CUDA for a scope.
//
//   const CurrentDevice current(stream.device.index);
//
// Error(kDevice) if there is no such device. Plain enough for .cu files.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace twingrad::cuda {

class CurrentDevice {
 public:
  explicit CurrentDevice(uint8_t index);
  ~CurrentDevice();
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int previous_ = 0;
  bool changed_ = false;
};

}  // namespace twingrad::cuda
