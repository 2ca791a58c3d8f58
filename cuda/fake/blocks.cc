// The entry points of memory: blocks, pools, pinned memory.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "cuda/fake/memory.h"
#include "cuda/fake/runtime.h"

using namespace twingrad::cuda::fake;  // NOLINT: the entry points stand outside of every namespace

namespace {

Block* BlockAt(Runtime& runtime, const void* data) {
  const auto found = runtime.blocks.find(static_cast<const char*>(data));
  return found == runtime.blocks.end() || !found->second.in_use ? nullptr : &found->second;
}

// A block of the pool that work of `stream` may use: freed there, or freed elsewhere before now.
Block* Reusable(Runtime& runtime, CUmemPoolHandle_st& pool, size_t bytes,
                const CUstream_st& stream) {
  for (auto& [data, block] : runtime.blocks) {
    if (block.in_use || block.pool != &pool || block.bytes != bytes) continue;
    if (block.freed_on == stream.queue || block.IsIdle()) return &block;
  }
  return nullptr;
}

CUmemPoolHandle_st& PoolOf(Runtime& runtime, int device) {
  return runtime.pools[static_cast<size_t>(device)];
}

}  // namespace

cudaError_t cudaMallocAsync(void** data, size_t bytes, cudaStream_t handle) {
  return Enter("cudaMallocAsync", [&](Runtime& runtime) {
    CUstream_st* const stream = runtime.StreamOf(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (bytes == 0) return cudaErrorInvalidValue;
    if (const cudaError_t failure = runtime.FailureOf(stream->device)) return failure;
    CUmemPoolHandle_st& pool = PoolOf(runtime, stream->device);
    Block* block = Reusable(runtime, pool, bytes, *stream);
    if (block == nullptr) {
      block = runtime.NewBlock(stream->device, bytes);
      if (block == nullptr) return cudaErrorMemoryAllocation;
      block->pool = &pool;
      pool.reserved += bytes;
      pool.most_reserved = std::max(pool.most_reserved, pool.reserved);
    }
    block->in_use = true;
    pool.used += bytes;
    pool.most_used = std::max(pool.most_used, pool.used);
    if (block->shadow.last_use != nullptr) block->shadow.last_use->MakeWait(stream->queue);
    runtime.Queue(*stream, Runtime::Kind::kOther, "cudaMallocAsync", {{block->data, bytes, true}},
                  [block] { DeviceMemory::Spoil(block->data, block->bytes); });
    *data = block->data;
    return cudaSuccess;
  });
}

cudaError_t cudaFreeAsync(void* data, cudaStream_t handle) {
  return Enter("cudaFreeAsync", [&](Runtime& runtime) {
    CUstream_st* const stream = runtime.StreamOf(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    Block* const block = BlockAt(runtime, data);
    if (block == nullptr || block->pool == nullptr) return cudaErrorInvalidValue;
    if (const cudaError_t failure = runtime.FailureOf(stream->device)) return failure;
    // A write of all of it: whatever else uses the block must come before.
    runtime.Queue(*stream, Runtime::Kind::kOther, "cudaFreeAsync",
                  {{block->data, block->bytes, true}}, [block, number = ++block->frees] {
                    DeviceMemory::Spoil(block->data, block->bytes);
                    block->frees_run = number;
                  });
    block->shadow.last_use = runtime.simulator->CreateEvent(stream->queue.device.index);
    block->shadow.last_use->Record(stream->queue);
    block->in_use = false;
    block->freed_on = stream->queue;
    block->pool->used -= block->bytes;
    return cudaSuccess;
  });
}

cudaError_t cudaMalloc(void** data, size_t bytes) {
  return Enter("cudaMalloc", [&](Runtime& runtime) {
    *data = nullptr;
    if (bytes == 0) return cudaSuccess;
    Block* const block = runtime.NewBlock(StateOfThread().device, bytes);
    if (block == nullptr) return cudaErrorMemoryAllocation;
    if (block->shadow.last_use != nullptr) block->shadow.last_use->Synchronize();
    runtime.simulator->AccessFromHost({block->shadow.data, bytes, true}, "cudaMalloc");
    const DeviceMemory::Opened open(block->data, bytes, /*is_write=*/true);
    DeviceMemory::Spoil(block->data, bytes);
    *data = block->data;
    return cudaSuccess;
  });
}

// Waits for all work, which may still use it.
cudaError_t cudaFree(void* data) {
  return Enter("cudaFree", [&](Runtime& runtime) {
    if (data == nullptr) return cudaSuccess;
    Block* const block = BlockAt(runtime, data);
    if (block == nullptr) return cudaErrorInvalidValue;
    if (const cudaError_t failure = runtime.FailureOf(block->device)) return failure;
    for (int device = 0; device < kDevices; ++device) runtime.FinishDevice(device);
    runtime.simulator->AccessFromHost({block->shadow.data, block->bytes, true}, "cudaFree");
    if (block->pool != nullptr) {
      block->pool->used -= block->bytes;
      block->pool->reserved -= block->bytes;
    }
    block->shadow.last_use = nullptr;  // The host has waited.
    runtime.Drop(*block);
    return cudaSuccess;
  });
}

cudaError_t cudaMallocHost(void** data, size_t bytes) {
  return Enter("cudaMallocHost", [&](Runtime& runtime) {
    auto memory = std::make_unique<char[]>(bytes);
    const char* const address = memory.get();
    *data = memory.get();
    runtime.pinned.emplace(address, std::make_pair(std::move(memory), bytes));
    return cudaSuccess;
  });
}

// Waits for all work, which may still use it.
cudaError_t cudaFreeHost(void* data) {
  return Enter("cudaFreeHost", [&](Runtime& runtime) {
    const auto found = runtime.pinned.find(static_cast<const char*>(data));
    if (found == runtime.pinned.end()) return cudaErrorInvalidValue;
    for (int device = 0; device < kDevices; ++device) runtime.FinishDevice(device);
    runtime.pinned.erase(found);
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* data) {
  return Enter("cudaPointerGetAttributes", [&](Runtime& runtime) {
    *attributes = {};
    void* const address = const_cast<void*>(data);
    if (const Block* const block = runtime.BlockOf(data, 0)) {
      *attributes = {cudaMemoryTypeDevice, block->device, address, nullptr, {}};
    } else if (runtime.IsPinned(data, 0)) {
      *attributes = {cudaMemoryTypeHost, StateOfThread().device, address, address, {}};
    } else {
      *attributes = {cudaMemoryTypeUnregistered, -2, nullptr, address, {}};
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  return Enter("cudaMemGetInfo", [&](Runtime& runtime) {
    const auto device = static_cast<size_t>(StateOfThread().device);
    *total_bytes = runtime.total_bytes[device];
    *free_bytes = *total_bytes - std::min(*total_bytes, runtime.taken_bytes[device]);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return Enter("cudaDeviceGetDefaultMemPool", [&](Runtime& runtime) {
    if (device < 0 || device >= kDevices) return cudaErrorInvalidDevice;
    *pool = &PoolOf(runtime, device);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return Enter("cudaMemPoolGetAttribute", [&](Runtime&) {
    const auto answer = [&](uint64_t bytes) {
      std::memcpy(value, &bytes, sizeof(bytes));
      return cudaSuccess;
    };
    switch (attribute) {
      case cudaMemPoolAttrReleaseThreshold:
        return answer(pool->release_threshold);
      case cudaMemPoolAttrReservedMemCurrent:
        return answer(pool->reserved);
      case cudaMemPoolAttrReservedMemHigh:
        return answer(pool->most_reserved);
      case cudaMemPoolAttrUsedMemCurrent:
        return answer(pool->used);
      case cudaMemPoolAttrUsedMemHigh:
        return answer(pool->most_used);
    }
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return Enter("cudaMemPoolSetAttribute", [&](Runtime&) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, value, sizeof(bytes));
    if (attribute == cudaMemPoolAttrReleaseThreshold) {
      pool->release_threshold = bytes;
      return cudaSuccess;
    }
    if (bytes != 0) return cudaErrorInvalidValue;  // A peak can only begin anew.
    if (attribute == cudaMemPoolAttrReservedMemHigh) {
      pool->most_reserved = pool->reserved;
    } else if (attribute == cudaMemPoolAttrUsedMemHigh) {
      pool->most_used = pool->used;
    } else {
      return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes_to_keep) {
  return Enter("cudaMemPoolTrimTo", [&](Runtime& runtime) {
    runtime.Trim(*pool, bytes_to_keep);
    return cudaSuccess;
  });
}
