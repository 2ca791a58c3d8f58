#include "cuda/cuda_device.h"

#include <algorithm>
#include <cstdint>
#include <new>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/device/device_registry.h"
#include "cuda/current_device.h"
#include "cuda/native_stream.h"
#include "cuda/status.h"
#if defined(TWINGRAD_FAKE_CUDA)
#include "cuda/fake/control.h"
#endif

namespace twingrad::cuda {
namespace {

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
// copied without a staging buffer. Who cannot tell must wait.
bool MayBeReadLater(const void* host) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, host) != cudaSuccess) {
    cudaGetLastError();
    return true;
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
    streams.reserve(1);
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

// Memory.

CudaDevice::Memory& CudaDevice::MemoryOf(uint8_t device_index) {
  Memory& memory = memory_[device_index];
  if (memory.pool == nullptr) {
    cudaMemPool_t pool = nullptr;
    ThrowIfFailed(cudaDeviceGetDefaultMemPool(&pool, device_index), "asking for the memory pool");
    uint64_t all = UINT64_MAX;  // Else it gives all that is unused back at each synchronisation.
    ThrowIfFailed(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all),
                  "setting up the memory pool");
    memory.pool = pool;
  }
  return memory;
}

void CudaDevice::ReleaseCacheLocked(Memory& memory, uint8_t device_index) {
  memory.unreturned.reserve(memory.unreturned.size() + memory.cache.count());
  for (const auto& [stream, data] : memory.cache.TakeAll()) {
    memory.unreturned.emplace_back(data,
                                   Block{Stream{Device::Cuda(device_index), stream}, {}, 0, 0});
  }
  GiveBackUnreturned(memory);
  // What is given back but still in use by work that runs is no cache yet.
  ThrowIfFailed(cudaDeviceSynchronize(), "waiting for work before the cache is released");
  ThrowIfFailed(cudaMemPoolTrimTo(memory.pool, 0), "releasing the cache");
  ThrowIfFailed(
      cudaMemPoolGetAttribute(memory.pool, cudaMemPoolAttrReservedMemCurrent, &memory.reserved),
      "asking for the size of the memory pool");
  ++memory.statistics.cache_releases;
}

void CudaDevice::ReleaseCache(uint8_t device_index) {
  sync::MutexLock lock(mutex_);
  const CurrentDevice current(device_index);
  ReleaseCacheLocked(MemoryOf(device_index), device_index);
}

CudaDevice::MemoryStatistics CudaDevice::Statistics(uint8_t device_index) {
  sync::MutexLock lock(mutex_);
  const CurrentDevice current(device_index);
  const Memory& memory = MemoryOf(device_index);
  uint64_t reserved = 0, used = 0;
  for (const auto& [attribute, value] : {std::pair(cudaMemPoolAttrReservedMemCurrent, &reserved),
                                         std::pair(cudaMemPoolAttrUsedMemCurrent, &used)}) {
    ThrowIfFailed(cudaMemPoolGetAttribute(memory.pool, attribute, value),
                  "asking for the size of the memory pool");
  }
  MemoryStatistics statistics = memory.statistics;
  statistics.bytes_cached = reserved - std::min(reserved, used) + memory.cache.bytes();
  return statistics;
}

void CudaDevice::ThrowOutOfMemory(size_t bytes, Device device) {
  size_t free_bytes = 0, total_bytes = 0;
  ThrowIfFailed(cudaMemGetInfo(&free_bytes, &total_bytes), "asking for the free memory");
  throw Error(ErrorKind::kDevice,
              absl::StrCat("[cuda] no memory for ", bytes, " bytes on ", device.ToString(), ": ",
                           memory_[device.index].statistics.bytes_in_use, " bytes are in use, ",
                           free_bytes, " of ", total_bytes, " are free after the cache of ",
                           "freed memory was released; free tensors or use smaller ones"));
}

void CudaDevice::GiveBackUnreturned(Memory& memory) {
  while (!memory.unreturned.empty()) {
    GiveBack(memory.unreturned.back().first, memory.unreturned.back().second);
    memory.unreturned.pop_back();
  }
}

void* CudaDevice::TakeFromPool(size_t bytes, size_t size, Stream stream, Memory& memory) {
  const cudaStream_t native = NativeLocked(stream);
  void* data = nullptr;
  cudaError_t status = cudaMallocAsync(&data, size, native);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    ReleaseCacheLocked(memory, stream.device.index);
    status = cudaMallocAsync(&data, size, native);
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      ThrowOutOfMemory(bytes, stream.device);
    }
  }
  ThrowIfFailed(status, absl::StrCat("allocating ", bytes, " bytes on ", stream.device.ToString()));
  MemoryStatistics& statistics = memory.statistics;
  ++statistics.pool_allocations;
  uint64_t reserved = 0;
  if (cudaMemPoolGetAttribute(memory.pool, cudaMemPoolAttrReservedMemCurrent, &reserved) !=
      cudaSuccess) {
    cudaGetLastError();  // A count is worth no block.
    return data;
  }
  if (reserved > memory.reserved) ++statistics.device_allocations;
  memory.reserved = reserved;
  return data;
}

void* CudaDevice::AllocateLocked(size_t bytes, Stream stream) {
  NativeLocked(stream);  // There is one.
  const CurrentDevice current(stream.device.index);
  Memory& memory = MemoryOf(stream.device.index);
  GiveBackUnreturned(memory);
  blocks_.reserve(blocks_.size() + 1);  // before there is a block to lose
  const size_t size = caches_blocks_ ? BlockCache::SizeFor(bytes) : std::max<size_t>(bytes, 1);
  void* data = memory.cache.Take(stream.id, size);
  if (data == nullptr) data = TakeFromPool(bytes, size, stream, memory);
  blocks_[data] = Block{stream, {}, bytes, size};
  return data;
}

void* CudaDevice::Allocate(size_t bytes, Stream stream) {
  sync::MutexLock lock(mutex_);
  void* const data = AllocateLocked(bytes, stream);
  MemoryStatistics& statistics = memory_[stream.device.index].statistics;
  ++statistics.allocations;
  statistics.bytes_in_use += bytes;
  statistics.peak_bytes_in_use = std::max(statistics.peak_bytes_in_use, statistics.bytes_in_use);
  return data;
}

void CudaDevice::GiveBack(void* data, const Block& block) {
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

void CudaDevice::Deallocate(void* data) {
  sync::MutexLock lock(mutex_);
  const auto found = blocks_.find(data);
  if (found == blocks_.end()) {
    throw Error(ErrorKind::kInvalidArgument,
                "[cuda] the address to give back is no block of a CUDA device; pass what Allocate "
                "returned, once");
  }
  Block block = std::move(found->second);
  blocks_.erase(found);
  Memory& memory = memory_[block.stream.device.index];
  memory.statistics.bytes_in_use -= block.bytes;
  try {
    memory.unreturned.reserve(memory.unreturned.size() + 1);
    if (caches_blocks_ && block.recorded.empty()) {
      return memory.cache.Put(block.stream.id, block.size, data);
    }
    GiveBack(data, block);
  } catch (const Error&) {
    memory.unreturned.emplace_back(data, std::move(block));
  } catch (const std::bad_alloc&) {
    // The host has no memory left to say so in, or to note the block: it is not used again.
  }
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
  streams.reserve(streams.size() + 1);  // before there is a stream to lose
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

void CudaDevice::Watch(void* to_host, const void* from, size_t bytes, Device device) {
#if defined(TWINGRAD_FAKE_CUDA)
  if (bytes > 0) fake::Watch(to_host, from, bytes);
  const CurrentDevice current(device.index);  // or the error of what ran
#else
  DeviceInterface::Watch(to_host, from, bytes, device);
#endif
}

std::vector<std::string> CudaDevice::TakeReports() {
#if defined(TWINGRAD_FAKE_CUDA)
  return fake::TakeReports();
#else
  return {};
#endif
}

CudaDevice& RegisteredCudaDevice() {
  return static_cast<CudaDevice&>(*FindDeviceInterface(DeviceType::kCuda));
}

cudaStream_t NativeStream(Stream stream) { return RegisteredCudaDevice().Native(stream); }

}  // namespace twingrad::cuda
