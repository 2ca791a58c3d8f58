// Streams, events, kernels and their order on the fake runtime.
#include <memory>
#include <string>
#include <vector>

#include "cuda/fake/test_device.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace twingrad::cuda::fake {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using FakeStreamTest = FakeRuntimeTest;

TEST_F(FakeStreamTest, WorkRunsWhenItMust) {
  cudaStream_t stream = NewStream();
  bool has_run = false;
  EXPECT_EQ(Kernel("mark", {}, stream, [&] { has_run = true; }), cudaSuccess);
  EXPECT_FALSE(has_run);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_TRUE(has_run);
  EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(FakeStreamTest, OtherOrdersCanBeChosen) {
  cudaStream_t const streams[] = {NewStream(), NewStream()};
  std::vector<int> order;
  for (int i : {0, 1}) Kernel("note", {}, streams[i], [&order, i] { order.push_back(i); });
  EXPECT_TRUE(RunOne(1));
  EXPECT_TRUE(RunOne(1));
  EXPECT_FALSE(RunOne(0));
  EXPECT_THAT(order, ElementsAre(1, 0));
}

TEST_F(FakeStreamTest, EventsOrderAndAMissingOneIsReported) {
  for (const bool waits : {true, false}) {
    cudaStream_t const one = NewStream(), two = NewStream();
    cudaEvent_t const event = NewEvent();
    double* const data = NewBlock(one);
    double* const sum = NewBlock(two);
    Set(data, 3, one);
    EXPECT_EQ(cudaEventQuery(event), cudaSuccess) << "nothing recorded";
    EXPECT_EQ(cudaEventRecord(event, one), cudaSuccess);
    EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
    if (waits) {
      EXPECT_EQ(cudaStreamWaitEvent(two, event, 0), cudaSuccess);
    }
    Kernel("use", {Reads(data), Writes(sum)}, two, [=] { *sum = *data + 1; });
    if (waits) {
      EXPECT_EQ(Get(sum, two), 4);
      EXPECT_THAT(TakeReports(), IsEmpty());
      EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
    } else {
      EXPECT_NE(Get(sum, two), 4) << "the write has not run yet";
      EXPECT_THAT(TakeReports(), ElementsAre(HasSubstr("read by use")));
    }
    EXPECT_EQ(cudaEventSynchronize(event), cudaSuccess);
    EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    Free(data, one);
    Free(sum, two);
  }
}

TEST_F(FakeStreamTest, HostFunctionsRunInOrderAndMayNotCallCuda) {
  cudaStream_t stream = NewStream();
  double* const data = NewBlock(stream);
  std::vector<cudaError_t> answers;
  const cudaHostFn_t call = [](void* answered) {
    int device = 0;
    auto& list = *static_cast<std::vector<cudaError_t>*>(answered);
    list.push_back(cudaDeviceSynchronize());
    list.push_back(cudaSetDevice(1));
    list.push_back(cudaEventDestroy(nullptr));
    list.push_back(cudaGetDevice(&device));
  };
  EXPECT_EQ(cudaLaunchHostFunc(stream, call, &answers), cudaSuccess);
  EXPECT_THAT(answers, IsEmpty());
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_THAT(answers, ElementsAre(cudaErrorNotPermitted, cudaErrorNotPermitted,
                                   cudaErrorNotPermitted, cudaSuccess));
  Free(data, stream);
}

TEST_F(FakeStreamTest, GeometryHasTheBoundsOfAGpu) {
  const auto launch = [](Geometry geometry) {
    return LaunchOnHost("nothing", geometry, {}, nullptr, [] {});
  };
  EXPECT_EQ(launch({1, 1024, 48 << 10}), cudaSuccess);
  EXPECT_EQ(launch({0x7fffffff, 1, 0}), cudaSuccess);
  EXPECT_EQ(launch({0, 1, 0}), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch({0x80000000, 1, 0}), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch({1, 0, 0}), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch({1, 1025, 0}), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch({1, 1, (48 << 10) + 1}), cudaErrorInvalidValue);
}

TEST_F(FakeStreamTest, HandlesOfNothingAndOfOtherDevicesAreRefused) {
  cudaStream_t const stream = NewStream();
  cudaEvent_t const event = NewEvent();
  EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(Kernel("abroad", {}, stream, [] {}), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(event, nullptr), cudaErrorInvalidResourceHandle)
      << "the default stream is that of the current device";
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventSynchronize(event), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventDestroy(event), cudaErrorInvalidResourceHandle);
  cudaEvent_t const later = NewEvent();
  EXPECT_EQ(cudaStreamWaitEvent(stream, later, 0), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventDestroy(later), cudaSuccess);
  cudaStream_t blocking = nullptr;
  EXPECT_EQ(cudaStreamCreateWithFlags(&blocking, 0), cudaErrorNotSupported);
  cudaEvent_t timed = nullptr;
  EXPECT_EQ(cudaEventCreateWithFlags(&timed, 0), cudaErrorNotSupported);
}

TEST_F(FakeStreamTest, MemoryOfAnotherDeviceIsAnErrorThatLasts) {
  double* const data = NewBlock(nullptr);
  EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(Kernel("far", {Writes(data)}, nullptr, [=] { *data = 1; }), cudaSuccess);
  EXPECT_THAT(TakeReports(),
              ElementsAre("[cuda/fake] far on device 1 writes 8 bytes of another device; pass "
                          "memory of the stream's device"));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaFreeAsync(data, nullptr), cudaErrorIllegalAddress);
  Restart();
}

}  // namespace
}  // namespace twingrad::cuda::fake
