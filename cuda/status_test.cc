#include "cuda/status.h"

#include "autograd/base/error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace twingrad::cuda {
namespace {

using ::testing::HasSubstr;

TEST(StatusTest, SuccessIsSilent) { ThrowIfFailed(cudaSuccess, "nothing"); }

TEST(StatusTest, FailureNamesWhatFailedAndTheCode) {
  try {
    ThrowIfFailed(cudaErrorMemoryAllocation, "allocating 8 bytes on cuda:0");
    ADD_FAILURE() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kDevice);
    EXPECT_THAT(error.what(), HasSubstr("[cuda] allocating 8 bytes on cuda:0 failed"));
    EXPECT_THAT(error.what(), HasSubstr("cudaErrorMemoryAllocation"));
    EXPECT_THAT(error.what(), HasSubstr("free tensors"));
  }
}

TEST(StatusTest, ThereAreDevicesOrAReasonWhyNot) {
  EXPECT_GE(DeviceCount(), 0);
  EXPECT_EQ(DeviceCount() == 0, !WhyNoDevice().empty()) << WhyNoDevice();
}

}  // namespace
}  // namespace twingrad::cuda
