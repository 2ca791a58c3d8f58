#include "cuda/fill.h"

#include <vector>

#include "cuda/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace twingrad::cuda {
namespace {

using ::testing::Each;

TEST(FillTest, NothingToFillLaunchesNothing) {
  EXPECT_EQ(LaunchFill(nullptr, 0, 1.0, 0, nullptr), cudaSuccess);
}

TEST(FillTest, FillsEveryElementWhateverTheCount) {
  if (DeviceCount() == 0) GTEST_SKIP() << WhyNoDevice();
  for (int64_t count : {1, 31, 32, 33, 255, 256, 257, 65535, 65536, 65537, 1 << 20}) {
    const size_t bytes = static_cast<size_t>(count) * sizeof(double);
    void* data = nullptr;
    ASSERT_EQ(cudaMalloc(&data, bytes), cudaSuccess);
    ASSERT_EQ(LaunchFill(static_cast<double*>(data), count, 2.5, 1000, nullptr), cudaSuccess);
    std::vector<double> host(static_cast<size_t>(count));
    ASSERT_EQ(cudaMemcpy(host.data(), data, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_THAT(host, Each(2.5));
    cudaFree(data);
  }
}

}  // namespace
}  // namespace twingrad::cuda
