// What holds where no device is visible, as the environment of this test says.
#include <string>
#include <string_view>

#include "autograd/base/error.h"
#include "autograd/device/device_registry.h"
#include "cuda/cuda_device.h"
#include "cuda/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace twingrad::cuda {
namespace {

using ::testing::HasSubstr;

TEST(NoDeviceTest, ThereIsAReason) {
  EXPECT_EQ(DeviceCount(), 0);
  EXPECT_THAT(std::string(WhyNoDevice()), HasSubstr("no CUDA device: "));
  EXPECT_EQ(RegisteredCudaDevice().DeviceCount(), 0);
}

TEST(NoDeviceTest, UseOfOneIsAnErrorThatSaysWhy) {
  try {
    RegisteredCudaDevice().Allocate(8, Stream{Device::Cuda(0)});
    ADD_FAILURE() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kDevice);
    EXPECT_THAT(error.what(), HasSubstr("[cuda] there is no device cuda:0; no CUDA device: "));
  }
  EXPECT_THROW(GetDeviceInterface(Device::Cuda(0)), Error);
}

}  // namespace
}  // namespace twingrad::cuda
