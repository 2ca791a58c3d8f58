// The entry points of streams and events, and the launch of kernels.
//
// Streams are those of cudaStreamNonBlocking, and the default stream of each device, with which
// they are not ordered.
#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/base/device.h"
#include "autograd/sync/mutex.h"
#include "autograd/sync/thread_local.h"
#include "cuda/fake/launch.h"
#include "cuda/fake/runtime.h"

using namespace twingrad::cuda::fake;  // NOLINT: the entry points stand outside of every namespace

namespace {

// Runs `body` with the stream of a handle, on whose device nothing must have failed.
template <class Body>
cudaError_t EnterStream(std::string_view entry, cudaStream_t handle, Body body) {
  return Enter(entry, [&](Runtime& runtime) {
    CUstream_st* const stream = runtime.StreamOf(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    const int device = stream->device;  // the stream may be gone when the body has run
    cudaError_t status = runtime.FailureOf(device);
    if (status == cudaSuccess) status = body(runtime, *stream);
    return status != cudaSuccess ? status : runtime.FailureOf(device);
  });
}

template <class Body>
cudaError_t EnterEvent(std::string_view entry, cudaEvent_t handle, Body body) {
  return Enter(entry, [&](Runtime& runtime) {
    for (CUevent_st& event : runtime.events) {
      if (&event != handle) continue;
      const cudaError_t status = runtime.FailureOf(event.device);
      return status != cudaSuccess ? status : body(runtime, event);
    }
    return cudaErrorInvalidResourceHandle;
  });
}

}  // namespace

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return Enter("cudaStreamCreateWithFlags", [&](Runtime& runtime) {
    if (flags != cudaStreamNonBlocking) return cudaErrorNotSupported;
    const int device = StateOfThread().device;
    runtime.streams.push_back(
        {device, runtime.simulator->CreateStream(static_cast<uint8_t>(device))});
    *stream = &runtime.streams.back();
    return cudaSuccess;
  });
}

// What is queued still runs.
cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return EnterStream("cudaStreamDestroy", handle, [&](Runtime& runtime, CUstream_st&) {
    if (handle == nullptr) return cudaErrorInvalidResourceHandle;
    runtime.streams.remove_if([&](const CUstream_st& stream) { return &stream == handle; });
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return EnterStream("cudaStreamSynchronize", handle, [](Runtime& runtime, CUstream_st& stream) {
    runtime.Finish(stream);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return EnterStream("cudaStreamQuery", handle, [](Runtime& runtime, CUstream_st& stream) {
    const auto now = runtime.simulator->CreateEvent(stream.queue.device.index);
    now->Record(stream.queue);
    return now->IsReached() ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned) {
  return EnterEvent("cudaStreamWaitEvent", event, [&](Runtime& runtime, CUevent_st& waited) {
    CUstream_st* const stream = runtime.StreamOf(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    waited.point->MakeWait(stream->queue);
    return cudaSuccess;
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  return EnterStream("cudaLaunchHostFunc", handle, [&](Runtime& runtime, CUstream_st& stream) {
    runtime.Queue(stream, Runtime::Kind::kOther, "host function", {}, [=] { function(data); });
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return Enter("cudaEventCreateWithFlags", [&](Runtime& runtime) {
    if (flags != cudaEventDisableTiming) return cudaErrorNotSupported;
    const int device = StateOfThread().device;
    runtime.events.push_back(
        {device, runtime.simulator->CreateEvent(static_cast<uint8_t>(device))});
    *event = &runtime.events.back();
    return cudaSuccess;
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  // What a process destroys after an error is destroyed.
  if (StateOfThread().is_inside) return StateOfThread().last_error = cudaErrorNotPermitted;
  twingrad::sync::MutexLock lock(RuntimeMutex());
  const size_t destroyed =
      TheRuntime()->events.remove_if([&](const CUevent_st& event) { return &event == handle; });
  return destroyed == 1 ? cudaSuccess : StateOfThread().last_error = cudaErrorInvalidResourceHandle;
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream_handle) {
  return EnterEvent("cudaEventRecord", handle, [&](Runtime& runtime, CUevent_st& event) {
    CUstream_st* const stream = runtime.StreamOf(stream_handle);
    if (stream == nullptr || stream->device != event.device) return cudaErrorInvalidResourceHandle;
    event.point->Record(stream->queue);
    return cudaSuccess;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return EnterEvent("cudaEventQuery", handle, [](Runtime&, CUevent_st& event) {
    return event.point->IsReached() ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return EnterEvent("cudaEventSynchronize", handle, [](Runtime& runtime, CUevent_st& event) {
    event.point->Synchronize();
    for (CUmemPoolHandle_st& pool : runtime.pools) runtime.Trim(pool, pool.release_threshold);
    return runtime.FailureOf(event.device);
  });
}

namespace twingrad::cuda::fake {

AG_THREAD_LOCAL(int64_t, Cycles);

int64_t Clock() { return Cycles() += int64_t{1} << 42; }

cudaError_t LaunchOnHost(const std::string& name, const Geometry& geometry,
                         std::vector<Access> accesses, cudaStream_t handle,
                         std::function<void()> run) {
  return EnterStream("launch", handle, [&](Runtime& runtime, CUstream_st& stream) {
    if (stream.device != StateOfThread().device) return cudaErrorInvalidResourceHandle;
    if (geometry.blocks == 0 || geometry.blocks > std::numeric_limits<int32_t>::max() ||
        geometry.threads == 0 || geometry.threads > kMostThreads) {
      return cudaErrorInvalidConfiguration;
    }
    if (geometry.shared_bytes > kMostSharedBytes) return cudaErrorInvalidValue;
    runtime.Queue(stream, Runtime::Kind::kKernel, name, accesses, std::move(run));
    return cudaSuccess;
  });
}

}  // namespace twingrad::cuda::fake
