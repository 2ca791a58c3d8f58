#include "autograd/base/device.h"

#include <optional>
#include <unordered_set>

#include "gtest/gtest.h"

namespace twingrad {
namespace {

TEST(DeviceTest, TextRoundTrips) {
  EXPECT_EQ(Device::Cpu().ToString(), "cpu");
  EXPECT_EQ(Device::Sim(0).ToString(), "sim:0");
  EXPECT_EQ(Device::Cuda(255).ToString(), "cuda:255");
  for (DeviceType type : {DeviceType::kSim, DeviceType::kCuda, DeviceType::kLate}) {
    for (int index = 0; index < 256; ++index) {
      const Device device{type, static_cast<uint8_t>(index)};
      EXPECT_EQ(Device::Parse(device.ToString()), device);
    }
  }
  EXPECT_EQ(Device::Parse("cpu"), Device::Cpu());
}

TEST(DeviceTest, OtherTextIsNoDevice) {
  for (const char* text : {"", "gpu", "cpu:0", "sim", "sim:", "sim:-1", "sim:01", "sim:256",
                           "sim:1000", "sim:1 ", "cuda:x", "SIM:0"}) {
    EXPECT_EQ(Device::Parse(text), std::nullopt) << text;
  }
}

TEST(DeviceTest, ComparesByTypeThenIndex) {
  EXPECT_LT(Device::Cpu(), Device::Sim(0));
  EXPECT_LT(Device::Sim(1), Device::Sim(2));
  EXPECT_LT(Device::Sim(2), Device::Cuda(0));
  std::unordered_set<Device> devices{Device::Cpu(), Device::Sim(0), Device::Sim(0)};
  EXPECT_EQ(devices.size(), 2u);
}

TEST(DeviceTest, TheHostMustNotTouchMemoryOfDevicesThatWorkLater) {
  EXPECT_FALSE(Device::Cpu().IsRemote());
  EXPECT_FALSE(Device::Sim(0).IsRemote());
  EXPECT_TRUE(Device::Cuda(0).IsRemote());
  EXPECT_TRUE(Device::Late(0).IsRemote());
}

}  // namespace
}  // namespace twingrad
