// Status codes of the CUDA runtime as errors of this library.
//
//   ThrowIfFailed(cudaStreamSynchronize(stream), "waiting for cuda:0 stream 1");
//
// Throws Error of kind kDevice and clears the runtime's per-thread last error, so that the next
// call does not report it again. Any thread may call it.
#pragma once

#include <cuda_runtime_api.h>

#include <string_view>

namespace twingrad::cuda {

void ThrowIfFailed(cudaError_t status, std::string_view what);

// Number of devices; 0 without a driver or a GPU, which is not an error. Queried once per process.
int DeviceCount();

// Why DeviceCount is 0, in words for a person ("" if it is not).
std::string_view WhyNoDevice();

}  // namespace twingrad::cuda
