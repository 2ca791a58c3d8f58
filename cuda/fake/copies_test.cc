// Copies on the fake runtime: which side is where, and when the host's bytes are read.
#include <cstring>
#include <vector>

#include "cuda/fake/test_device.h"
#include "gtest/gtest.h"

namespace twingrad::cuda::fake {
namespace {

using FakeCopyTest = FakeRuntimeTest;
constexpr size_t kBytes = sizeof(double);

TEST_F(FakeCopyTest, HostMemoryIsReadBeforeTheCallReturns) {
  double* const data = NewBlock(nullptr);
  double host = 5;
  EXPECT_EQ(cudaMemcpyAsync(data, &host, kBytes, cudaMemcpyHostToDevice, nullptr), cudaSuccess);
  host = 6;
  EXPECT_EQ(Get(data, nullptr), 5);
  Free(data, nullptr);
}

TEST_F(FakeCopyTest, PinnedMemoryIsReadAndWrittenWhenTheCopyRuns) {
  double* const data = NewBlock(nullptr);
  void* pinned = nullptr;
  EXPECT_EQ(cudaMallocHost(&pinned, 2 * kBytes), cudaSuccess);
  double* const host = static_cast<double*>(pinned);
  host[0] = 5;
  EXPECT_EQ(cudaMemcpyAsync(data, host, kBytes, cudaMemcpyHostToDevice, nullptr), cudaSuccess);
  host[0] = 6;
  EXPECT_EQ(cudaMemcpyAsync(host + 1, data, kBytes, cudaMemcpyDefault, nullptr), cudaSuccess);
  EXPECT_EQ(host[1], 0);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(host[1], 6);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  Free(data, nullptr);
}

TEST_F(FakeCopyTest, DevicesCopyToEachOther) {
  double* const data = NewBlock(nullptr);
  Set(data, 7, nullptr);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(2), cudaSuccess);
  double* const other = NewBlock(nullptr);
  EXPECT_EQ(cudaMemcpyAsync(other, data, kBytes, cudaMemcpyDefault, nullptr), cudaSuccess);
  EXPECT_EQ(Get(other, nullptr), 7);
  Free(other, nullptr);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  Free(data, nullptr);
}

TEST_F(FakeCopyTest, SetAndCopyAtOnce) {
  double* const data = NewBlock(nullptr);
  EXPECT_EQ(cudaMemsetAsync(data, 0, kBytes, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(data, 0, 0, nullptr), cudaSuccess);
  double host = 1;
  EXPECT_EQ(cudaMemcpy(&host, data, kBytes, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(host, 0);
  host = 3;
  EXPECT_EQ(cudaMemcpy(data, &host, kBytes, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(Get(data, nullptr), 3);
  Free(data, nullptr);
}

TEST_F(FakeCopyTest, SidesMustBeWhatTheKindSays) {
  double* const data = NewBlock(nullptr, 2);
  double host[3] = {};
  const auto copy = [](void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
  };
  EXPECT_EQ(copy(data, host, kBytes, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(copy(host, data, kBytes, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(copy(host, host + 1, kBytes, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(copy(host, data, 3 * kBytes, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(copy(data, nullptr, kBytes, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(copy(host, host + 1, kBytes, cudaMemcpyHostToHost), cudaErrorNotSupported);
  EXPECT_EQ(copy(nullptr, nullptr, 0, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(host, 0, kBytes, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemsetAsync(data, 0, 3 * kBytes, nullptr), cudaErrorInvalidValue);
  cudaStream_t const gone = NewStream();
  EXPECT_EQ(cudaStreamDestroy(gone), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(data, host, kBytes, cudaMemcpyDefault, gone),
            cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaMemsetAsync(data, 0, kBytes, gone), cudaErrorInvalidResourceHandle);
  Free(data, nullptr);
}

}  // namespace
}  // namespace twingrad::cuda::fake
