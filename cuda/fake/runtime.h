// Runtime: the state behind the entry points of the fake CUDA runtime.
//
// Work is queued on a simulated accelerator (autograd/device/sim_device.h), a device a device of
// CUDA: it runs as late as the events allow, and accesses that nothing orders are reported when
// they are queued. The simulator judges addresses of its own: each block here has a *shadow* there,
// of the same size, that nobody touches.
//
// One lock is held for the whole of every entry point (Enter), hence while work runs too.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/device/sim_device.h"
#include "autograd/device/stream.h"
#include "autograd/sync/mutex.h"
#include "autograd/sync/thread_local.h"
#include "cuda/fake/control.h"
#include "cuda/fake/launch.h"
#include "cuda/fake/memory.h"

struct CUstream_st {
  int device;
  twingrad::Stream queue;
};
struct CUevent_st {
  int device;
  std::unique_ptr<twingrad::Event> point;
};
struct CUmemPoolHandle_st {
  int device;
  uint64_t release_threshold = 0;
  uint64_t reserved = 0;
  uint64_t most_reserved = 0;
  uint64_t used = 0;
  uint64_t most_used = 0;
};

namespace twingrad::cuda::fake {

// Addresses for the simulator to judge by, and the point after which they may be used again.
struct Shadow {
  char* data = nullptr;
  std::unique_ptr<Event> last_use;  // null: there was none
};

struct Block {
  char* data;
  size_t bytes;
  int device;
  Shadow shadow;
  bool in_use = true;
  CUmemPoolHandle_st* pool = nullptr;  // null: not of a pool
  twingrad::Stream freed_on = {};      // while it is not in use
  uint64_t frees = 0;                  // a block of a pool is freed again and again
  uint64_t frees_run = 0;

  bool IsIdle() const { return !in_use && frees_run == frees; }
};

// What is to fail, of calls or of work.
struct Planned {
  int in = 0;  // so many from now; 0: nothing
  cudaError_t code = cudaSuccess;
  std::string entry;  // empty: any

  bool IsNow(std::string_view name) {
    if (in == 0 || (!entry.empty() && entry != name)) return false;
    return --in == 0;
  }
};

class Runtime {
 public:
  Runtime();
  ~Runtime();

  // What concerns a device fails with this; cudaSuccess: nothing does.
  cudaError_t FailureOf(int device) const {
    return sticky != cudaSuccess ? sticky : lost[static_cast<size_t>(device)];
  }
  // The stream of a handle, null being the calling thread's device's default one; null: of none.
  CUstream_st* StreamOf(cudaStream_t handle);
  // The block that holds these bytes and is in use; null: none does.
  Block* BlockOf(const void* data, size_t bytes);
  // Whether the bytes lie in one piece of pinned memory.
  bool IsPinned(const void* data, size_t bytes) const;

  // Queues work that touches what is declared. An access to memory that is in no block, or that a
  // kernel makes to another device's, is what it is on a GPU: an error when it runs, which lasts.
  enum class Kind : uint8_t { kKernel, kCopy, kOther };
  void Queue(const CUstream_st& stream, Kind kind, std::string name,
             const std::vector<Access>& accesses, std::function<void()> run);
  // Waits for a stream or a device; gives memory back that the pools hold beyond their thresholds.
  void Finish(const CUstream_st& stream);
  void FinishDevice(int device);

  // Null: the device has too little memory left.
  Block* NewBlock(int device, size_t bytes);
  // Gives the block's memory back. All its uses have run.
  void Drop(Block& block);
  // Gives back what a pool holds unused beyond so many bytes.
  void Trim(CUmemPoolHandle_st& pool, uint64_t keep);

  std::unique_ptr<SimDevice> simulator = std::make_unique<SimDevice>();
  DeviceMemory memory;
  std::list<CUstream_st> streams;
  std::list<CUevent_st> events;
  std::array<CUstream_st, kDevices> default_streams;
  std::array<CUmemPoolHandle_st, kDevices> pools;
  std::array<size_t, kDevices> total_bytes;
  std::array<size_t, kDevices> taken_bytes = {};  // by blocks, used or not
  std::map<const char*, Block> blocks;            // by address
  std::map<const char*, std::pair<std::unique_ptr<char[]>, size_t>> pinned;
  std::map<size_t, std::vector<Shadow>> spare_shadows;  // by bytes

  cudaError_t sticky = cudaSuccess;
  std::array<cudaError_t, kDevices> lost = {};
  Planned planned_call;
  Planned planned_work;
  std::string what_failed;
  std::vector<std::string> reports;  // besides the simulator's
  bool ends = false;                 // what is still queued does not run

 private:
  void Run(const std::string& name, const std::vector<std::pair<Block*, bool>>& opened,
           const std::function<void()>& run);
  Shadow TakeShadow(int device, size_t bytes);
};

struct ThreadState {
  int device = 0;
  cudaError_t last_error = cudaSuccess;
  bool is_inside = false;  // an entry point: a kernel or host function that calls one
};
AG_THREAD_LOCAL(ThreadState, StateOfThread);

// The process's runtime; its lock. Restart makes another.
std::unique_ptr<Runtime>& TheRuntime();
sync::Mutex& RuntimeMutex();

// Marks the calling thread as inside an entry point for a scope.
class Inside {
 public:
  Inside() { StateOfThread().is_inside = true; }
  ~Inside() { StateOfThread().is_inside = false; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

// What an entry point answers before it does anything of its own: what was planned, what lasts.
cudaError_t AnswerAtOnce(Runtime& runtime, std::string_view entry);

// Runs an entry point: `body` takes the Runtime and gives the status.
template <class Body>
cudaError_t Enter(std::string_view entry, Body body) {
  ThreadState& thread = StateOfThread();
  if (thread.is_inside) return thread.last_error = cudaErrorNotPermitted;
  sync::MutexLock lock(RuntimeMutex());
  const Inside inside;
  Runtime& runtime = *TheRuntime();
  cudaError_t status = AnswerAtOnce(runtime, entry);
  if (status == cudaSuccess) {
    try {
      status = body(runtime);
      // What ran meanwhile may have failed.
      if (status == cudaSuccess) status = runtime.FailureOf(thread.device);
    } catch (const std::bad_alloc&) {
      status = cudaErrorMemoryAllocation;
    } catch (const Error&) {  // the simulator's, which is out of memory too
      status = cudaErrorMemoryAllocation;
    }
  }
  if (status != cudaSuccess) thread.last_error = status;
  return status;
}

}  // namespace twingrad::cuda::fake
