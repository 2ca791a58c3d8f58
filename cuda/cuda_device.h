// CudaDevice: NVIDIA GPUs behind the device interface.
//
// Stream 0 of a device is a separate non-blocking stream, not CUDA's legacy default stream, because
// the interface's default stream waits for no other stream. Memory comes from the device's
// stream-ordered pool, whose rule is also the interface's: later work of the stream may reuse a
// freed block without waiting. A program gets CUDA by linking //cuda, which registers this class.
//
// What is given back stays here for later allocations of its stream (block_cache.h), which then ask
// CUDA nothing; what other streams have used goes back to the pool, which keeps it too. Where there
// is no memory left both are released before an error says so, with the sizes.
//
// Whoever gives memory back cannot be told of a failure of CUDA: Deallocate keeps the block and
// gives it back at the next call that allocates. If the failure lasts, that one throws.
//
// Any thread may call it. Each call leaves the calling thread's current CUDA device unchanged.
// Streams live as long as the process.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "autograd/device/device_interface.h"
#include "autograd/sync/mutex.h"
#include "cuda/block_cache.h"

namespace twingrad::cuda {

class CudaDevice final : public DeviceInterface {
 public:
  // Over the fake runtime none by default: it judges every allocation and release, so it must see
  // them.
#if defined(TWINGRAD_FAKE_CUDA)
  static constexpr bool kCachesBlocks = false;
#else
  static constexpr bool kCachesBlocks = true;
#endif
  explicit CudaDevice(bool caches_blocks = kCachesBlocks) : caches_blocks_(caches_blocks) {}

  DeviceType type() const override { return DeviceType::kCuda; }
  int DeviceCount() const override;

  void* Allocate(size_t bytes, Stream stream) override;
  void Deallocate(void* data) override;
  void RecordStream(void* data, Stream stream) override;

  Stream CreateStream(uint8_t device_index) override;
  std::unique_ptr<Event> CreateEvent(uint8_t device_index) override;
  void Synchronize(Stream stream) override;
  void SynchronizeDevice(uint8_t device_index) override;

  void CopyFromHost(void* to, const void* from_host, size_t bytes, Stream stream) override;
  void CopyToHost(void* to_host, const void* from, size_t bytes, Stream stream) override;
  void CopyOnDevice(void* to, const void* from, size_t bytes, Stream stream) override;

  void Watch(void* to_host, const void* from, size_t bytes, Device device) override;
  // What the fake runtime has found; CUDA itself checks no order.
  std::vector<std::string> TakeReports() override;

  struct MemoryStatistics {
    size_t bytes_in_use = 0;  // as asked for, of blocks that were not given back
    size_t peak_bytes_in_use = 0;
    size_t bytes_cached = 0;         // of the device's memory that no block uses
    int64_t allocations = 0;         // calls of Allocate that gave a block
    int64_t pool_allocations = 0;    // those for which the pool was asked
    int64_t device_allocations = 0;  // those for which it had to take memory from the device
    int64_t cache_releases = 0;      // by ReleaseCache, or for want of memory
  };
  MemoryStatistics Statistics(uint8_t device_index);
  // Gives the device's cached memory back to it, once the work queued there has run.
  void ReleaseCache(uint8_t device_index);

  // CUDA's handle of a stream, for launching kernels. Throws Error of kind kDevice or
  // kInvalidArgument if there is no such stream.
  cudaStream_t Native(Stream stream);

 private:
  struct Block {
    Stream stream;                            // the stream it was allocated for
    absl::InlinedVector<Stream, 2> recorded;  // other streams that use it
    size_t bytes = 0;
    size_t size = 0;  // bytes that it has
  };
  // Of one device.
  struct Memory {
    cudaMemPool_t pool = nullptr;  // null: not asked for yet
    uint64_t reserved = 0;         // of the pool when it was asked last
    MemoryStatistics statistics;   // but for what the pool knows
    BlockCache cache;
    std::vector<std::pair<void*, Block>> unreturned;
  };

  cudaStream_t NativeLocked(Stream stream) AG_REQUIRES(mutex_);
  // The stream on which blocks used by several streams are freed.
  cudaStream_t ReleaseStream(uint8_t device_index) AG_REQUIRES(mutex_);
  // These want the device to be the current one.
  Memory& MemoryOf(uint8_t device_index) AG_REQUIRES(mutex_);
  void ReleaseCacheLocked(Memory& memory, uint8_t device_index) AG_REQUIRES(mutex_);
  void* AllocateLocked(size_t bytes, Stream stream) AG_REQUIRES(mutex_);
  // Of the pool, after the cache was released if need be.
  void* TakeFromPool(size_t bytes, size_t size, Stream stream, Memory& memory) AG_REQUIRES(mutex_);
  [[noreturn]] void ThrowOutOfMemory(size_t bytes, Device device) AG_REQUIRES(mutex_);
  // These throw if CUDA fails.
  void GiveBackUnreturned(Memory& memory) AG_REQUIRES(mutex_);
  void GiveBack(void* data, const Block& block) AG_REQUIRES(mutex_);

  const bool caches_blocks_;
  sync::Mutex mutex_{"cuda device"};
  // By device index, then by stream id.
  std::array<std::vector<cudaStream_t>, 256> streams_ AG_GUARDED_BY(mutex_);
  std::array<cudaStream_t, 256> release_streams_ AG_GUARDED_BY(mutex_) = {};
  absl::flat_hash_map<void*, Block> blocks_ AG_GUARDED_BY(mutex_);
  std::array<Memory, 256> memory_ AG_GUARDED_BY(mutex_);
};

// Registers CUDA with the registry of devices and returns the instance. In a program that links
// //cuda it is already registered.
CudaDevice& RegisteredCudaDevice();

}  // namespace twingrad::cuda
