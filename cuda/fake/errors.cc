// The entry points that tell of errors.
#include <cuda_runtime_api.h>

#include <utility>

#include "cuda/fake/runtime.h"

namespace twingrad::cuda::fake {
namespace {

struct Named {
  cudaError_t code;
  const char* name;
  const char* text;
};
#define NAMED(code, text) \
  { code, #code, text }
constexpr Named kNames[] = {
    NAMED(cudaSuccess, "no error"),
    NAMED(cudaErrorInvalidValue, "invalid argument"),
    NAMED(cudaErrorMemoryAllocation, "out of memory"),
    NAMED(cudaErrorInitializationError, "initialization error"),
    NAMED(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    NAMED(cudaErrorInsufficientDriver, "the driver is too old for this runtime"),
    NAMED(cudaErrorDevicesUnavailable, "the device is busy or unavailable"),
    NAMED(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    NAMED(cudaErrorInvalidDevice, "invalid device ordinal"),
    NAMED(cudaErrorECCUncorrectable, "uncorrectable ECC error encountered"),
    NAMED(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    NAMED(cudaErrorNotReady, "device not ready"),
    NAMED(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    NAMED(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    NAMED(cudaErrorLaunchFailure, "unspecified launch failure"),
    NAMED(cudaErrorNotPermitted, "operation not permitted"),
    NAMED(cudaErrorNotSupported, "operation not supported"),
    NAMED(cudaErrorUnknown, "unknown error"),
};
#undef NAMED
constexpr Named kNoName = {cudaErrorUnknown, "unrecognized error code", "unrecognized error code"};

const Named& NameOf(cudaError_t error) {
  for (const Named& named : kNames) {
    if (named.code == error) return named;
  }
  return kNoName;
}

}  // namespace
}  // namespace twingrad::cuda::fake

using namespace twingrad::cuda::fake;  // NOLINT: the entry points stand outside of every namespace

cudaError_t cudaGetLastError() { return std::exchange(StateOfThread().last_error, cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return StateOfThread().last_error; }
const char* cudaGetErrorName(cudaError_t error) { return NameOf(error).name; }
const char* cudaGetErrorString(cudaError_t error) { return NameOf(error).text; }
