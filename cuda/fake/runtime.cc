#include "cuda/fake/runtime.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "autograd/base/device.h"
#include "autograd/sync/once.h"

namespace twingrad::cuda::fake {
namespace {

constinit sync::Mutex runtime_mutex{"fake CUDA runtime"};
constinit sync::Lazy<std::unique_ptr<Runtime>> the_runtime{
    [] { return new std::unique_ptr<Runtime>(std::make_unique<Runtime>()); }};

}  // namespace

sync::Mutex& RuntimeMutex() { return runtime_mutex; }
std::unique_ptr<Runtime>& TheRuntime() { return *the_runtime; }

cudaError_t AnswerAtOnce(Runtime& runtime, std::string_view entry) {
  if (runtime.planned_call.IsNow(entry)) {
    runtime.what_failed = entry;
    return runtime.planned_call.code;
  }
  return runtime.FailureOf(StateOfThread().device);
}

Runtime::Runtime() {
  for (int device = 0; device < kDevices; ++device) {
    const auto at = static_cast<size_t>(device);
    default_streams[at] = {device, twingrad::Stream{Device::Sim(static_cast<uint8_t>(device))}};
    pools[at].device = device;
    total_bytes[at] = kMemoryBytes;
  }
}

Runtime::~Runtime() {
  ends = true;
  events.clear();
  blocks.clear();
  spare_shadows.clear();
  simulator.reset();
}

CUstream_st* Runtime::StreamOf(cudaStream_t handle) {
  if (handle == nullptr) return &default_streams[static_cast<size_t>(StateOfThread().device)];
  const auto found = std::find_if(streams.begin(), streams.end(),
                                  [&](const CUstream_st& stream) { return &stream == handle; });
  return found == streams.end() ? nullptr : &*found;
}

Block* Runtime::BlockOf(const void* data, size_t bytes) {
  const char* const begin = static_cast<const char*>(data);
  const auto after = blocks.upper_bound(begin);
  if (after == blocks.begin()) return nullptr;
  Block& block = std::prev(after)->second;
  const auto offset = static_cast<size_t>(begin - block.data);
  return block.in_use && offset <= block.bytes && bytes <= block.bytes - offset ? &block : nullptr;
}

bool Runtime::IsPinned(const void* data, size_t bytes) const {
  const char* const begin = static_cast<const char*>(data);
  const auto after = pinned.upper_bound(begin);
  if (after == pinned.begin()) return false;
  const auto& [address, memory_and_bytes] = *std::prev(after);
  const auto offset = static_cast<size_t>(begin - address);
  return offset <= memory_and_bytes.second && bytes <= memory_and_bytes.second - offset;
}

// Work.

void Runtime::Queue(const CUstream_st& stream, Kind kind, std::string name,
                    const std::vector<Access>& accesses, std::function<void()> run) {
  std::vector<SimDevice::Access> judged;
  std::vector<std::pair<Block*, bool>> opened;
  cudaError_t failure =
      kind != Kind::kOther && planned_work.IsNow(name) ? planned_work.code : cudaSuccess;
  for (const Access& access : accesses) {
    if (access.bytes == 0) continue;
    Block* const block = BlockOf(access.data, access.bytes);
    if (block == nullptr || (block->device != stream.device && kind == Kind::kKernel)) {
      reports.push_back(absl::StrCat(
          "[cuda/fake] ", name, " on device ", stream.device,
          access.is_write ? " writes " : " reads ", access.bytes,
          block == nullptr ? " bytes that are in no block in use" : " bytes of another device",
          "; pass memory of the stream's device"));
      failure = cudaErrorIllegalAddress;
      continue;
    }
    const ptrdiff_t offset = static_cast<const char*>(access.data) - block->data;
    judged.push_back({block->shadow.data + offset, access.bytes, access.is_write});
    const auto same = std::find_if(opened.begin(), opened.end(),
                                   [&](const auto& other) { return other.first == block; });
    if (same == opened.end()) {
      opened.emplace_back(block, access.is_write);
    } else {
      same->second |= access.is_write;
    }
  }
  simulator->Launch(stream.queue, judged, name,
                    [this, device = stream.device, failure, name, opened = std::move(opened),
                     run = std::move(run)] {
                      if (ends || FailureOf(device) != cudaSuccess) return;
                      if (failure != cudaSuccess) {
                        sticky = failure;
                        what_failed = name;
                        return;
                      }
                      Run(name, opened, run);
                    });
}

void Runtime::Run(const std::string& name, const std::vector<std::pair<Block*, bool>>& opened,
                  const std::function<void()>& run) {
  std::vector<DeviceMemory::Opened> open;
  open.reserve(opened.size());
  for (const auto& [block, is_write] : opened) {
    open.emplace_back(block->data, block->bytes, is_write);
  }
  DeviceMemory::SetRunning(name.c_str());
  run();
  DeviceMemory::SetRunning(nullptr);
  for (const auto& [block, is_write] : opened) {
    if (DeviceMemory::IsIntact(block->data, block->bytes)) continue;
    reports.push_back(absl::StrCat("[cuda/fake] ", name, " wrote past the end of a block of ",
                                   block->bytes, " bytes; keep within it"));
  }
}

void Runtime::Finish(const CUstream_st& stream) {
  simulator->Synchronize(stream.queue);
  for (CUmemPoolHandle_st& pool : pools) Trim(pool, pool.release_threshold);
}

void Runtime::FinishDevice(int device) {
  simulator->SynchronizeDevice(static_cast<uint8_t>(device));
  for (CUmemPoolHandle_st& pool : pools) Trim(pool, pool.release_threshold);
}

// Memory.

Shadow Runtime::TakeShadow(int device, size_t bytes) {
  std::vector<Shadow>& spare = spare_shadows[bytes];
  if (spare.empty()) {
    const twingrad::Stream owner = default_streams[static_cast<size_t>(device)].queue;
    return {static_cast<char*>(simulator->Allocate(bytes, owner)), nullptr};
  }
  Shadow shadow = std::move(spare.back());
  spare.pop_back();
  return shadow;
}

Block* Runtime::NewBlock(int device, size_t bytes) {
  const auto at = static_cast<size_t>(device);
  if (bytes > total_bytes[at] || taken_bytes[at] > total_bytes[at] - bytes) return nullptr;
  char* const data = memory.Take(bytes);
  if (data == nullptr) return nullptr;
  Block& block =
      blocks.emplace(data, Block{data, bytes, device, TakeShadow(device, bytes)}).first->second;
  taken_bytes[at] += bytes;
  return &block;
}

void Runtime::Drop(Block& block) {
  taken_bytes[static_cast<size_t>(block.device)] -= block.bytes;
  spare_shadows[block.bytes].push_back(std::move(block.shadow));
  memory.GiveBack(block.data, block.bytes);
  blocks.erase(block.data);
}

void Runtime::Trim(CUmemPoolHandle_st& pool, uint64_t keep) {
  for (auto next = blocks.begin(); next != blocks.end() && pool.reserved > keep;) {
    Block& block = (next++)->second;
    if (block.pool != &pool || !block.IsIdle()) continue;
    pool.reserved -= block.bytes;
    Drop(block);
  }
}

}  // namespace twingrad::cuda::fake
