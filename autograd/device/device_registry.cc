// The table of device implementations.
#include "autograd/device/device_registry.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/base/check.h"
#include "autograd/base/error.h"
#include "autograd/device/cpu_device.h"
#include "autograd/device/sim_device.h"
#include "autograd/sync/atomic.h"
#include "autograd/sync/mutex.h"
#include "autograd/sync/once.h"
#include "autograd/sync/watch.h"

namespace twingrad {

namespace {

class Registry {
 public:
  Registry() {
    Add(std::make_unique<CpuDevice>());
    Add(std::make_unique<SimDevice>());
  }

  void Add(std::unique_ptr<DeviceInterface> implementation) AG_EXCLUDES(mutex_) {
    sync::MutexLock lock(mutex_);
    sync::Atomic<DeviceInterface*>& place = places_[static_cast<size_t>(implementation->type())];
    AG_CHECK(place.Load(sync::kRelaxed) == nullptr, "[device] the type ",
             DeviceTypeName(implementation->type()), " is registered twice; register it once");
    owned_.push_back(std::move(implementation));
    place.Store(owned_.back().get(), sync::kRelease);
  }
  std::unique_ptr<DeviceInterface> Remove(DeviceType type) AG_EXCLUDES(mutex_) {
    sync::MutexLock lock(mutex_);
    places_[static_cast<size_t>(type)].Store(nullptr, sync::kRelease);
    const auto found = std::find_if(owned_.begin(), owned_.end(),
                                    [type](const auto& owned) { return owned->type() == type; });
    if (found == owned_.end()) return nullptr;
    std::unique_ptr<DeviceInterface> removed = std::move(*found);
    owned_.erase(found);
    return removed;
  }
  // No lock: every access to memory of a device asks.
  DeviceInterface* Find(DeviceType type) {
    return places_[static_cast<size_t>(type)].Load(sync::kAcquire);
  }

 private:
  sync::Mutex mutex_{"device registry"};
  std::vector<std::unique_ptr<DeviceInterface>> owned_ AG_GUARDED_BY(mutex_);
  std::array<sync::Atomic<DeviceInterface*>, kDeviceTypeCount> places_ = {};
};

constinit sync::Lazy<Registry> registry;

}  // namespace

void RegisterDeviceInterface(std::unique_ptr<DeviceInterface> implementation) {
  registry->Add(std::move(implementation));
}

std::unique_ptr<DeviceInterface> RemoveDeviceInterface(DeviceType type) {
  return registry->Remove(type);
}

// Who registers what is settled before devices are used: looking it up orders nothing.
DeviceInterface* FindDeviceInterface(DeviceType type) {
  const sync::WatchScope watching;
  return registry->Find(type);
}

namespace {

[[noreturn, gnu::noinline, gnu::cold]] void RefuseDevice(Device device, int count) {
  throw Error(
      ErrorKind::kDevice,
      absl::StrCat("[device] there is no device ", device.ToString(), "; this process has ", count,
                   " of type ", DeviceTypeName(device.type), "; use one of those, or ",
                   device.type == DeviceType::kCuda
                       ? "link //cuda and start on a machine with an NVIDIA GPU and its driver"
                       : "link and start what provides it"));
}

}  // namespace

DeviceInterface& GetDeviceInterface(Device device) {
  DeviceInterface* const found = FindDeviceInterface(device.type);
  const int count = found == nullptr ? 0 : found->DeviceCount();
  if (device.index >= count) RefuseDevice(device, count);
  return *found;
}

}  // namespace twingrad
