#include "cuda/fake/control.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "autograd/base/check.h"
#include "cuda/fake/runtime.h"

namespace twingrad::cuda::fake {
namespace {

// The runtime, with its lock held.
template <class Body>
auto WithRuntime(Body body) {
  sync::MutexLock lock(RuntimeMutex());
  const Inside inside;
  return body(*TheRuntime());
}

}  // namespace

void Restart() {
  {
    sync::MutexLock lock(RuntimeMutex());
    const Inside inside;
    TheRuntime().reset();
    TheRuntime() = std::make_unique<Runtime>();
  }
  StateOfThread() = {};
}

void FailCall(std::string entry, int n, cudaError_t code) {
  WithRuntime([&](Runtime& runtime) {
    runtime.planned_call = {n, code, std::move(entry)};
    runtime.what_failed.clear();
  });
}

void FailWork(int n, cudaError_t code) {
  WithRuntime([&](Runtime& runtime) {
    runtime.planned_work = {n, code, ""};
    runtime.what_failed.clear();
  });
}

bool HasFailed() { return !WhatFailed().empty(); }

std::string WhatFailed() {
  return WithRuntime([](Runtime& runtime) { return runtime.what_failed; });
}

void LoseDevice(int device) {
  WithRuntime([&](Runtime& runtime) {
    runtime.lost[static_cast<size_t>(device)] = cudaErrorDevicesUnavailable;
  });
}

void SetMemory(int device, size_t bytes) {
  WithRuntime([&](Runtime& runtime) { runtime.total_bytes[static_cast<size_t>(device)] = bytes; });
}

Live CountLive() {
  return WithRuntime([](Runtime& runtime) {
    const auto in_use = std::count_if(runtime.blocks.begin(), runtime.blocks.end(),
                                      [](const auto& entry) { return entry.second.in_use; });
    return Live{in_use + static_cast<int64_t>(runtime.pinned.size()),
                static_cast<int64_t>(runtime.events.size()),
                static_cast<int64_t>(runtime.streams.size())};
  });
}

bool RunOne(size_t choice) {
  return WithRuntime([&](Runtime& runtime) {
    const std::vector<twingrad::Stream> runnable = runtime.simulator->RunnableStreams();
    return !runnable.empty() && runtime.simulator->RunOne(runnable[choice % runnable.size()]);
  });
}

void Watch(void* to_host, const void* from, size_t bytes) {
  while (RunOne(0)) {
  }
  WithRuntime([&](Runtime& runtime) {
    Block* const block = runtime.BlockOf(from, bytes);
    AG_CHECK(block != nullptr, "[cuda/fake] Watch of ", bytes, " bytes that are in no block");
    const DeviceMemory::Opened opened(block->data, block->bytes, /*is_write=*/false);
    std::memcpy(to_host, from, bytes);
  });
}

std::vector<std::string> TakeReports() {
  return WithRuntime([](Runtime& runtime) {
    std::vector<std::string> all = std::exchange(runtime.reports, {});
    for (std::string& report : runtime.simulator->TakeReports()) all.push_back(std::move(report));
    return all;
  });
}

}  // namespace twingrad::cuda::fake
