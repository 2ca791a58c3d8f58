// The table of device implementations.
#include "autograd/device/device_registry.h"

#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/check.h"
#include "autograd/base/error.h"
#include "autograd/device/cpu_device.h"
#include "autograd/device/sim_device.h"
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
    auto& place = implementations_[static_cast<size_t>(implementation->type())];
    AG_CHECK(place == nullptr, "[device] the type ", DeviceTypeName(implementation->type()),
             " is registered twice; register it once");
    place = std::move(implementation);
  }
  DeviceInterface* Find(DeviceType type) AG_EXCLUDES(mutex_) {
    sync::MutexLock lock(mutex_);
    return implementations_[static_cast<size_t>(type)].get();
  }

 private:
  sync::Mutex mutex_{"device registry"};
  std::array<std::unique_ptr<DeviceInterface>, kDeviceTypeCount> implementations_
      AG_GUARDED_BY(mutex_);
};

constinit sync::Lazy<Registry> registry;

}  // namespace

void RegisterDeviceInterface(std::unique_ptr<DeviceInterface> implementation) {
  registry->Add(std::move(implementation));
}

// Who registers what is settled before devices are used: looking it up orders nothing.
DeviceInterface* FindDeviceInterface(DeviceType type) {
  const sync::WatchScope watching;
  return registry->Find(type);
}

DeviceInterface& GetDeviceInterface(Device device) {
  DeviceInterface* const found = FindDeviceInterface(device.type);
  const int count = found == nullptr ? 0 : found->DeviceCount();
  if (device.index >= count) {
    throw Error(ErrorKind::kDevice,
                absl::StrCat("[device] there is no device ", device.ToString(),
                             "; this process has ", count, " of type ", DeviceTypeName(device.type),
                             "; use one of those, or link and start what provides it"));
  }
  return *found;
}

}  // namespace twingrad
