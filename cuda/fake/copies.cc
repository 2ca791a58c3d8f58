// The entry points of copies.
//
// Bytes of pinned memory are read and written when the copy runs. Other memory of the host is read
// before the call returns, and written before it returns.
#include <cuda_runtime_api.h>

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "cuda/fake/runtime.h"

using namespace twingrad::cuda::fake;  // NOLINT: the entry points stand outside of every namespace

namespace {

// Whether a side of a copy is what its kind says: device memory, in one block, or the host's.
bool FitsKind(Runtime& runtime, const void* data, size_t bytes, bool on_device, bool infer) {
  const bool is_device = runtime.memory.Contains(data);
  if (!infer && is_device != on_device) return false;
  return data != nullptr && (!is_device || runtime.BlockOf(data, bytes) != nullptr);
}

void CopyToDevice(Runtime& runtime, const CUstream_st& stream, void* to, const void* from,
                  size_t bytes) {
  if (runtime.IsPinned(from, bytes)) {
    runtime.Queue(stream, Runtime::Kind::kCopy, "copy from host", {{to, bytes, true}},
                  [=] { std::memcpy(to, from, bytes); });
    return;
  }
  const char* const begin = static_cast<const char*>(from);
  runtime.Queue(stream, Runtime::Kind::kCopy, "copy from host", {{to, bytes, true}},
                [to, staged = std::vector<char>(begin, begin + bytes)] {
                  std::memcpy(to, staged.data(), staged.size());
                });
}

cudaError_t Copy(Runtime& runtime, const CUstream_st& stream, void* to, const void* from,
                 size_t bytes, cudaMemcpyKind kind) {
  if (bytes == 0) return cudaSuccess;
  const bool infer = kind == cudaMemcpyDefault;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  if (!FitsKind(runtime, from, bytes, from_device, infer) ||
      !FitsKind(runtime, to, bytes, to_device, infer)) {
    return cudaErrorInvalidValue;
  }
  if (!runtime.memory.Contains(from)) {
    if (!runtime.memory.Contains(to)) return cudaErrorNotSupported;
    CopyToDevice(runtime, stream, to, from, bytes);
    return cudaSuccess;
  }
  if (runtime.memory.Contains(to)) {
    runtime.Queue(stream, Runtime::Kind::kCopy, "copy on device",
                  {{from, bytes, false}, {to, bytes, true}}, [=] { std::memcpy(to, from, bytes); });
    return cudaSuccess;
  }
  runtime.Queue(stream, Runtime::Kind::kCopy, "copy to host", {{from, bytes, false}},
                [=] { std::memcpy(to, from, bytes); });
  if (!runtime.IsPinned(to, bytes)) runtime.Finish(stream);
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t handle) {
  return Enter("cudaMemcpyAsync", [&](Runtime& runtime) {
    CUstream_st* const stream = runtime.StreamOf(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t failure = runtime.FailureOf(stream->device)) return failure;
    const cudaError_t status = Copy(runtime, *stream, to, from, bytes, kind);
    return status != cudaSuccess ? status : runtime.FailureOf(stream->device);
  });
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return Enter("cudaMemcpy", [&](Runtime& runtime) {
    const CUstream_st& stream = *runtime.StreamOf(nullptr);
    const cudaError_t status = Copy(runtime, stream, to, from, bytes, kind);
    if (status == cudaSuccess) runtime.Finish(stream);
    return status;
  });
}

cudaError_t cudaMemsetAsync(void* data, int value, size_t bytes, cudaStream_t handle) {
  return Enter("cudaMemsetAsync", [&](Runtime& runtime) {
    CUstream_st* const stream = runtime.StreamOf(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (bytes == 0) return cudaSuccess;
    if (!FitsKind(runtime, data, bytes, /*on_device=*/true, /*infer=*/false)) {
      return cudaErrorInvalidValue;
    }
    runtime.Queue(*stream, Runtime::Kind::kCopy, "memset", {{data, bytes, true}},
                  [=] { std::memset(data, value, bytes); });
    return cudaSuccess;
  });
}
