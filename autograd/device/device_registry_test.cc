#include "autograd/device/device_registry.h"

#include <memory>
#include <string>

#include "autograd/base/error.h"
#include "autograd/device/cpu_device.h"
#include "autograd/device/sim_device.h"
#include "gtest/gtest.h"

namespace twingrad {
namespace {

// Stands for an implementation from outside: the CPU's, under another type.
class OtherDevice final : public CpuDevice {
 public:
  DeviceType type() const override { return DeviceType::kCuda; }
  int DeviceCount() const override { return 2; }
};

TEST(DeviceRegistryTest, CpuAndSimulatedAcceleratorAreAlwaysThere) {
  EXPECT_EQ(GetDeviceInterface(Device::Cpu()).type(), DeviceType::kCpu);
  EXPECT_EQ(GetDeviceInterface(Device::Sim(7)).type(), DeviceType::kSim);
  EXPECT_EQ(&GetDeviceInterface(Device::Sim(0)), FindDeviceInterface(DeviceType::kSim));
}

TEST(DeviceRegistryTest, AbsentDevicesAreErrorsUntilTheirTypeIsRegistered) {
  EXPECT_EQ(FindDeviceInterface(DeviceType::kCuda), nullptr);
  EXPECT_EQ(RemoveDeviceInterface(DeviceType::kLate), nullptr);
  RegisterDeviceInterface(std::make_unique<SimDevice>(DeviceType::kLate));
  EXPECT_EQ(&GetDeviceInterface(Device::Late(7)), FindDeviceInterface(DeviceType::kLate));
  EXPECT_NE(RemoveDeviceInterface(DeviceType::kLate), nullptr);
  EXPECT_EQ(FindDeviceInterface(DeviceType::kLate), nullptr);
  for (const Device device : {Device::Cuda(0), Device::Sim(8)}) {
    try {
      GetDeviceInterface(device);
      FAIL() << device.ToString();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kDevice);
      const std::string message = error.what();
      EXPECT_NE(message.find(device.ToString()), std::string::npos);
      EXPECT_EQ(message.find("link //cuda") != std::string::npos, device.type == DeviceType::kCuda)
          << "how to get it";
    }
  }
  RegisterDeviceInterface(std::make_unique<OtherDevice>());
  EXPECT_EQ(GetDeviceInterface(Device::Cuda(1)).DeviceCount(), 2);
  EXPECT_THROW(GetDeviceInterface(Device::Cuda(2)), Error);
  EXPECT_DEATH(RegisterDeviceInterface(std::make_unique<OtherDevice>()), "registered twice");
}

}  // namespace
}  // namespace twingrad
