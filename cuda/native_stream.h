// CUDA's handle of a stream of the registered device, for .cu files, which cannot include
// cuda_device.h.
#pragma once

#include <cuda_runtime_api.h>

#include "autograd/device/stream.h"

namespace twingrad::cuda {

// As CudaDevice::Native of RegisteredCudaDevice().
cudaStream_t NativeStream(Stream stream);

}  // namespace twingrad::cuda
