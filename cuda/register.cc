// Registers CUDA with the devices of the process before main: a program gets it by linking //cuda.
// Asks the driver nothing yet, so a machine without one starts as well.
#include <memory>

#include "autograd/device/device_registry.h"
#include "cuda/cuda_device.h"

namespace twingrad::cuda {
namespace {

[[maybe_unused]] const bool kRegistered = [] {
  RegisterDeviceInterface(std::make_unique<CudaDevice>());
  return true;
}();

}  // namespace
}  // namespace twingrad::cuda
