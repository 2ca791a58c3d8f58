// The streams and events that a Program names. See streams.h.

#include "autograd/runner/streams.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "autograd/device/device_registry.h"
#include "autograd/device/order_after.h"
#include "autograd/ops/registry.h"
#include "autograd/sync/annotations.h"
#include "autograd/sync/mutex.h"
#include "autograd/sync/once.h"

namespace twingrad::runner {

using program::Key;
using program::Opcode;
using program::Statement;

namespace {

// The streams that runs have made, which live as long as their device.
class Pool {
 public:
  Stream Get(Device device, size_t number) AG_EXCLUDES(mutex_) {
    sync::MutexLock lock(mutex_);
    std::vector<Stream>& streams = streams_[device];
    while (streams.size() <= number) {
      streams.push_back(GetDeviceInterface(device).CreateStream(device.index));
    }
    return streams[number];
  }

 private:
  sync::Mutex mutex_{"program_streams"};
  std::map<Device, std::vector<Stream>> streams_ AG_GUARDED_BY(mutex_);
};

constinit sync::Lazy<Pool> pool;

}  // namespace

void ProgramStreams::Leave() {
  for (const Stream& stream : before_) SetCurrentStream(stream);
  before_.clear();
}

Event* ProgramStreams::Find(const std::string& id) const {
  const auto it = events_.find(id);
  if (it != events_.end() && it->second != nullptr) return it->second.get();
  return outer_ == nullptr ? nullptr : outer_->Find(id);
}

void ProgramStreams::MakeCurrent(Device device, const std::string& id, bool waits) {
  const auto [it, is_new] = streams_.try_emplace({device, id});
  if (is_new) it->second = pool->Get(device, used_[device]++);
  const bool changed = std::any_of(before_.begin(), before_.end(),
                                   [&](const Stream& stream) { return stream.device == device; });
  if (!changed) before_.push_back(CurrentStream(device));
  if (waits) OrderAfter(it->second, CurrentStream(device));
  SetCurrentStream(it->second);
}

void ProgramStreams::Run(const Statement& statement) {
  const auto index = static_cast<program::DeviceIndex>(statement.Get<int64_t>(Key::kDevice));
  const Device device = ops::DeviceOf(index);
  DeviceInterface& interface = GetDeviceInterface(device);
  const auto id = statement.Get<std::string>(Key::kId);
  if (statement.op == Opcode::kStream) {
    return MakeCurrent(device, id, statement.Get<bool>(Key::kWaits));
  }
  if (statement.op == Opcode::kRecordEvent) {
    std::unique_ptr<Event>& event = events_[id];
    event = interface.CreateEvent(device.index);
    return event->Record(CurrentStream(device));
  }
  if (Event* event = Find(id); event != nullptr) event->MakeWait(CurrentStream(device));
}

void SynchronizeDevices(int devices) {
  for (int index = 0; index < devices; ++index) {
    const Device device = ops::DeviceOf(static_cast<program::DeviceIndex>(index));
    GetDeviceInterface(device).SynchronizeDevice(device.index);
  }
}

bool ReportEachAccess(int devices) {
  return devices > 0 && GetDeviceInterface(ops::DeviceOf(0)).ReportsEachAccess();
}

std::vector<program::StreamReport> TakeStreamReports(int devices) {
  if (devices == 0) return {};
  std::vector<program::StreamReport> reports;
  for (UnorderedAccess& found : GetDeviceInterface(ops::DeviceOf(0)).TakeUnordered()) {
    reports.push_back({std::move(found.text), found.statement, found.other});
  }
  return reports;
}

}  // namespace twingrad::runner
