// The implementations of device types, by type.
//
// The CPU and the simulated accelerator are always there. Others register themselves before the
// first use of a device, usually from a static initialiser: CUDA does so from //cuda, so a program
// gets it by linking it.
#pragma once

#include <memory>

#include "autograd/base/device.h"
#include "autograd/device/device_interface.h"

namespace twingrad {

// Adds an implementation; programmer error if its type has one already.
void RegisterDeviceInterface(std::unique_ptr<DeviceInterface> implementation);

// Takes an implementation out again, for who has registered one for a while; null if there is none.
// Nothing of the device may be in use, and nobody may be looking for it.
std::unique_ptr<DeviceInterface> RemoveDeviceInterface(DeviceType type);

// The implementation of a type, for the life of the process, or null.
DeviceInterface* FindDeviceInterface(DeviceType type);

// The implementation that serves `device`; Error of kind kDevice where there is no such device.
DeviceInterface& GetDeviceInterface(Device device);

}  // namespace twingrad
