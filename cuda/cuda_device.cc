#include "cuda/cuda_device.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/device/device_registry.h"
#include "cuda/status.h"

namespace twingrad::cuda {
namespace {

// Makes a device the calling thread's current one for a scope.
class CurrentDevice {
 public:
  explicit CurrentDevice(uint8_t index) {
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
  ~CurrentDevice() {
    if (changed_) cudaSetDevice(previous_);
  }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int previous_ = 0;
  bool changed_ = false;
};

cudaStream_t MakeStream() {
  cudaStream_t stream = nullptr;
  ThrowIfFailed(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
  return stream;
}

// A CUDA event, destroyed with the object.
class NativeEvent {
 public:
  NativeEvent() {
    ThrowIfFailed(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "creating an event");
  }
  ~NativeEvent() { cudaEventDestroy(event_); }  // The runtime keeps it until its work has run.
  NativeEvent(const NativeEvent&) = delete;
  NativeEvent& operator=(const NativeEvent&) = delete;
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

// Work queued on `later` from now on waits for the work queued on `earlier` so far.
void Order(cudaStream_t earlier, cudaStream_t later) {
  const NativeEvent event;
  ThrowIfFailed(cudaEventRecord(event.get(), earlier), "recording an event");
  ThrowIfFailed(cudaStreamWaitEvent(later, event.get(), 0), "waiting for an event");
}

class CudaEvent final : public Event {
 public:
  CudaEvent(CudaDevice& owner, uint8_t index) : owner_(owner), index_(index) {}

  void Record(Stream stream) override {
    if (stream.device != Device::Cuda(index_)) {
      throw Error(ErrorKind::kInvalidArgument,
                  absl::StrCat("[cuda] an event of ", Device::Cuda(index_).ToString(),
                               " cannot record ", stream.ToString(),
                               "; it records streams of its own device; create one there"));
    }
    const CurrentDevice current(index_);
    ThrowIfFailed(cudaEventRecord(event_.get(), owner_.Native(stream)), "recording an event");
  }
  void MakeWait(Stream stream) override {
    const cudaStream_t native = owner_.Native(stream);
    const CurrentDevice current(stream.device.index);
    ThrowIfFailed(cudaStreamWaitEvent(native, event_.get(), 0), "waiting for an event");
  }
  bool IsReached() override {
    const cudaError_t status = cudaEventQuery(event_.get());
    if (status == cudaErrorNotReady) {
      cudaGetLastError();
      return false;
    }
    ThrowIfFailed(status, "asking for an event");
    return true;
  }
  void Synchronize() override {
    ThrowIfFailed(cudaEventSynchronize(event_.get()), "waiting for an event");
  }

 private:
  CudaDevice& owner_;
  const uint8_t index_;
  const NativeEvent event_;
};

// Whether CUDA may still read the host's bytes after a copy has been queued: pinned memory is
// copied without a staging buffer.
bool MayBeReadLater(const void* host) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, host) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  return attributes.type != cudaMemoryTypeUnregistered;
}

}  // namespace

int CudaDevice::DeviceCount() const { return cuda::DeviceCount(); }

cudaStream_t CudaDevice::Native(Stream stream) {
  sync::MutexLock lock(mutex_);
  return NativeLocked(stream);
}

cudaStream_t CudaDevice::NativeLocked(Stream stream) {
  if (stream.device.type != DeviceType::kCuda) {
    throw Error(
        ErrorKind::kInvalidArgument,
        absl::StrCat("[cuda] ", stream.ToString(), " is no stream of a CUDA device; pass one"));
  }
  std::vector<cudaStream_t>& streams = streams_[stream.device.index];
  if (streams.empty()) {
    const CurrentDevice current(stream.device.index);
    streams.push_back(MakeStream());
  }
  if (stream.id >= streams.size()) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[cuda] there is no ", stream.ToString(), "; the device has ",
                             streams.size(), "; take them from CreateStream"));
  }
  return streams[stream.id];
}

cudaStream_t CudaDevice::ReleaseStream(uint8_t device_index) {
  cudaStream_t& stream = release_streams_[device_index];
  if (stream == nullptr) stream = MakeStream();
  return stream;
}

void* CudaDevice::Allocate(size_t bytes, Stream stream) {
  sync::MutexLock lock(mutex_);
  const cudaStream_t native = NativeLocked(stream);
  const CurrentDevice current(stream.device.index);
  void* data = nullptr;
  ThrowIfFailed(cudaMallocAsync(&data, std::max<size_t>(bytes, 1), native),
                absl::StrCat("allocating ", bytes, " bytes on ", stream.device.ToString()));
  blocks_[data] = Block{stream, {}};
  return data;
}

void CudaDevice::Deallocate(void* data) {
  sync::MutexLock lock(mutex_);
  const auto found = blocks_.find(data);
  if (found == blocks_.end()) {
    throw Error(ErrorKind::kInvalidArgument,
                "[cuda] the address to give back is no block of a CUDA device; pass what Allocate "
                "returned, once");
  }
  const Block block = std::move(found->second);
  blocks_.erase(found);
  const CurrentDevice current(block.stream.device.index);
  cudaStream_t release = NativeLocked(block.stream);
  if (!block.recorded.empty()) {
    // Freed on a separate stream that waits for all users: neither they nor the block's stream are
    // delayed, and the pool reuses the block once those events have completed.
    const cudaStream_t own = release;
    release = ReleaseStream(block.stream.device.index);
    Order(own, release);
    for (const Stream& stream : block.recorded) {
      const CurrentDevice theirs(stream.device.index);
      Order(NativeLocked(stream), release);
    }
  }
  ThrowIfFailed(cudaFreeAsync(data, release), "giving memory back");
}

void CudaDevice::RecordStream(void* data, Stream stream) {
  sync::MutexLock lock(mutex_);
  NativeLocked(stream);
  const auto found = blocks_.find(data);
  if (found == blocks_.end()) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[cuda] the address used on ", stream.ToString(),
                             " is no block of a CUDA device; pass what Allocate returned"));
  }
  Block& block = found->second;
  if (stream == block.stream) return;
  if (std::find(block.recorded.begin(), block.recorded.end(), stream) == block.recorded.end()) {
    block.recorded.push_back(stream);
  }
}

Stream CudaDevice::CreateStream(uint8_t device_index) {
  sync::MutexLock lock(mutex_);
  NativeLocked(Stream{Device::Cuda(device_index)});  // The default stream takes the first place.
  const CurrentDevice current(device_index);
  std::vector<cudaStream_t>& streams = streams_[device_index];
  streams.push_back(MakeStream());
  return Stream{Device::Cuda(device_index), static_cast<uint32_t>(streams.size() - 1)};
}

std::unique_ptr<Event> CudaDevice::CreateEvent(uint8_t device_index) {
  const CurrentDevice current(device_index);
  return std::make_unique<CudaEvent>(*this, device_index);
}

void CudaDevice::Synchronize(Stream stream) {
  ThrowIfFailed(cudaStreamSynchronize(Native(stream)),
                absl::StrCat("waiting for ", stream.ToString()));
}

void CudaDevice::SynchronizeDevice(uint8_t device_index) {
  const CurrentDevice current(device_index);
  ThrowIfFailed(cudaDeviceSynchronize(),
                absl::StrCat("waiting for ", Device::Cuda(device_index).ToString()));
}

void CudaDevice::CopyFromHost(void* to, const void* from_host, size_t bytes, Stream stream) {
  const cudaStream_t native = Native(stream);
  if (bytes == 0) return;
  const CurrentDevice current(stream.device.index);
  ThrowIfFailed(cudaMemcpyAsync(to, from_host, bytes, cudaMemcpyHostToDevice, native),
                absl::StrCat("copying ", bytes, " bytes to ", stream.device.ToString()));
  if (MayBeReadLater(from_host)) Synchronize(stream);
}

void CudaDevice::CopyToHost(void* to_host, const void* from, size_t bytes, Stream stream) {
  const cudaStream_t native = Native(stream);
  const CurrentDevice current(stream.device.index);
  if (bytes > 0) {
    ThrowIfFailed(cudaMemcpyAsync(to_host, from, bytes, cudaMemcpyDeviceToHost, native),
                  absl::StrCat("copying ", bytes, " bytes from ", stream.device.ToString()));
  }
  Synchronize(stream);
}

void CudaDevice::CopyOnDevice(void* to, const void* from, size_t bytes, Stream stream) {
  const cudaStream_t native = Native(stream);
  if (bytes == 0) return;
  const CurrentDevice current(stream.device.index);
  // cudaMemcpyDefault: CUDA infers the devices from the addresses.
  ThrowIfFailed(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, native),
                absl::StrCat("copying ", bytes, " bytes on ", stream.device.ToString()));
}

CudaDevice& RegisteredCudaDevice() {
  return static_cast<CudaDevice&>(*FindDeviceInterface(DeviceType::kCuda));
}

}  // namespace twingrad::cuda
