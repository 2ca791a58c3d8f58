#include "cuda/fake/control.h"

#include <string>

#include "cuda/fake/test_device.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace twingrad::cuda::fake {
namespace {

using FakeControlTest = FakeRuntimeTest;

TEST_F(FakeControlTest, TheNthCallFailsAndNoOther) {
  void* data = nullptr;
  FailCall("cudaMallocAsync", 2, cudaErrorMemoryAllocation);
  double* const one = NewBlock(nullptr);
  EXPECT_FALSE(HasFailed());
  EXPECT_EQ(cudaMallocAsync(&data, 8, nullptr), cudaErrorMemoryAllocation);
  EXPECT_TRUE(HasFailed());
  double* const two = NewBlock(nullptr);
  FailCall("", 2, cudaErrorUnknown);
  Free(one, nullptr);
  EXPECT_EQ(cudaFreeAsync(two, nullptr), cudaErrorUnknown);
  Free(two, nullptr);
}

TEST_F(FakeControlTest, WorkThatFailsFailsEveryLaterCall) {
  FailWork(2, cudaErrorLaunchFailure);
  double* const data = NewBlock(nullptr);
  Set(data, 1, nullptr);
  Set(data, 2, nullptr);
  EXPECT_FALSE(HasFailed()) << "it has not run";
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaErrorLaunchFailure);
  EXPECT_TRUE(HasFailed());
  int count = 0;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaFreeAsync(data, nullptr), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaSetDevice(1), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure);
  Restart();
  Free(NewBlock(nullptr), nullptr);
}

TEST_F(FakeControlTest, ALostDeviceLeavesTheOthers) {
  cudaStream_t const stream = NewStream();
  double* const data = NewBlock(stream);
  LoseDevice(0);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorDevicesUnavailable);
  EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(cudaFree(data), cudaErrorDevicesUnavailable);
  EXPECT_EQ(cudaFreeAsync(data, stream), cudaErrorDevicesUnavailable);
  EXPECT_EQ(cudaMemcpyAsync(data, data, 8, cudaMemcpyDefault, stream), cudaErrorDevicesUnavailable);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorDevicesUnavailable);
  void* block = nullptr;
  EXPECT_EQ(cudaMallocAsync(&block, 8, stream), cudaErrorDevicesUnavailable);
  double* const other = NewBlock(nullptr);
  Set(other, 2, nullptr);
  EXPECT_EQ(Get(other, nullptr), 2);
  Free(other, nullptr);
  EXPECT_EQ(cudaSetDevice(0), cudaErrorDevicesUnavailable);
  Restart();
}

TEST_F(FakeControlTest, RestartForgetsEverything) {
  cudaStream_t const stream = NewStream();
  NewEvent();
  bool has_run = false;
  NewBlock(stream);
  Kernel("mark", {}, stream, [&] { has_run = true; });
  EXPECT_EQ(CountLive(), (Live{1, 1, 1}));
  Restart();
  EXPECT_FALSE(has_run);
  EXPECT_EQ(CountLive(), (Live{0, 0, 0}));
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
}

TEST_F(FakeControlTest, ErrorsHaveTheirNames) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorNotReady), "cudaErrorNotReady");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
  EXPECT_STREQ(cudaGetErrorName(static_cast<cudaError_t>(998)), "unrecognized error code");
  EXPECT_EQ(cudaFreeAsync(nullptr, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(FakeControlTest, DevicesAreEight) {
  int count = 0, device = -1, value = 0;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 8);
  EXPECT_EQ(cudaSetDevice(8), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetDevice(2), cudaSuccess);
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 2);
  const auto ask = [&](cudaDeviceAttr attribute, int of) {
    return cudaDeviceGetAttribute(&value, attribute, of);
  };
  EXPECT_EQ(ask(cudaDevAttrWarpSize, 2), cudaSuccess);
  EXPECT_EQ(value, 32);
  EXPECT_EQ(ask(cudaDevAttrMaxThreadsPerBlock, 0), cudaSuccess);
  EXPECT_EQ(value, 1024);
  EXPECT_EQ(ask(cudaDevAttrMaxSharedMemoryPerBlock, 0), cudaSuccess);
  EXPECT_EQ(value, 48 << 10);
  EXPECT_EQ(ask(cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
  EXPECT_GT(value, 0);
  EXPECT_EQ(ask(cudaDevAttrMemoryPoolsSupported, 0), cudaSuccess);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(ask(cudaDevAttrWarpSize, 8), cudaErrorInvalidDevice);
  EXPECT_EQ(ask(static_cast<cudaDeviceAttr>(2), 0), cudaErrorInvalidValue);
}

TEST_F(FakeControlTest, TheEnvironmentHidesDevices) {
  int count = 0;
  setenv("CUDA_VISIBLE_DEVICES", "0,2", 1);
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(cudaSetDevice(2), cudaErrorInvalidDevice);
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorNoDevice);
  unsetenv("CUDA_VISIBLE_DEVICES");
}

}  // namespace
}  // namespace twingrad::cuda::fake
