#include "autograd/device/device_registry.h"

#include <cstdint>
#include <memory>
#include <string>

#include "autograd/base/error.h"
#include "autograd/device/cpu_device.h"
#include "gtest/gtest.h"

namespace twingrad {
namespace {

// Stands for an implementation from outside: the CPU's, under another type.
class OtherDevice final : public DeviceInterface {
 public:
  DeviceType type() const override { return DeviceType::kCuda; }
  int DeviceCount() const override { return 2; }
  void* Allocate(size_t bytes, Stream) override { return cpu_.Allocate(bytes, kStream); }
  void Deallocate(void* data) override { cpu_.Deallocate(data); }
  void RecordStream(void*, Stream) override {}
  Stream CreateStream(uint8_t) override { return kStream; }
  std::unique_ptr<Event> CreateEvent(uint8_t) override { return cpu_.CreateEvent(0); }
  void Synchronize(Stream) override {}
  void SynchronizeDevice(uint8_t) override {}
  void CopyFromHost(void* to, const void* from, size_t bytes, Stream) override {
    cpu_.CopyFromHost(to, from, bytes, kStream);
  }
  void CopyToHost(void* to, const void* from, size_t bytes, Stream) override {
    cpu_.CopyToHost(to, from, bytes, kStream);
  }
  void CopyOnDevice(void* to, const void* from, size_t bytes, Stream) override {
    cpu_.CopyOnDevice(to, from, bytes, kStream);
  }

 private:
  static constexpr Stream kStream{Device::Cpu()};
  CpuDevice cpu_;
};

TEST(DeviceRegistryTest, CpuAndSimulatedAcceleratorAreAlwaysThere) {
  EXPECT_EQ(GetDeviceInterface(Device::Cpu()).type(), DeviceType::kCpu);
  EXPECT_EQ(GetDeviceInterface(Device::Sim(7)).type(), DeviceType::kSim);
  EXPECT_EQ(&GetDeviceInterface(Device::Sim(0)), FindDeviceInterface(DeviceType::kSim));
}

TEST(DeviceRegistryTest, AbsentDevicesAreErrorsUntilTheirTypeIsRegistered) {
  EXPECT_EQ(FindDeviceInterface(DeviceType::kCuda), nullptr);
  for (const Device device : {Device::Cuda(0), Device::Sim(8)}) {
    try {
      GetDeviceInterface(device);
      FAIL() << device.ToString();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kDevice);
      EXPECT_NE(std::string(error.what()).find(device.ToString()), std::string::npos);
    }
  }
  RegisterDeviceInterface(std::make_unique<OtherDevice>());
  EXPECT_EQ(GetDeviceInterface(Device::Cuda(1)).DeviceCount(), 2);
  EXPECT_THROW(GetDeviceInterface(Device::Cuda(2)), Error);
  EXPECT_DEATH(RegisterDeviceInterface(std::make_unique<OtherDevice>()), "registered twice");
}

}  // namespace
}  // namespace twingrad
