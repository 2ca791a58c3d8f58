// Blocks of memory, their pools and pinned memory on the fake runtime.
#include <cstdint>
#include <string>

#include "cuda/fake/test_device.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace twingrad::cuda::fake {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FakeBlockTest : public FakeRuntimeTest {
 protected:
  static uint64_t Ask(cudaMemPoolAttr attribute, int device = 0) {
    cudaMemPool_t pool = nullptr;
    EXPECT_EQ(cudaDeviceGetDefaultMemPool(&pool, device), cudaSuccess);
    uint64_t value = 0;
    EXPECT_EQ(cudaMemPoolGetAttribute(pool, attribute, &value), cudaSuccess);
    return value;
  }
  static cudaError_t Tell(cudaMemPoolAttr attribute, uint64_t value) {
    cudaMemPool_t pool = nullptr;
    EXPECT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
    return cudaMemPoolSetAttribute(pool, attribute, &value);
  }
};

TEST_F(FakeBlockTest, LaterWorkOfTheStreamReusesABlockAtOnce) {
  double* const data = NewBlock(nullptr);
  Set(data, 1, nullptr);
  Free(data, nullptr);
  EXPECT_EQ(NewBlock(nullptr), data);
  Free(data, nullptr);
}

TEST_F(FakeBlockTest, AnotherStreamReusesItOnceTheReleaseHasRun) {
  cudaStream_t const other = NewStream();
  Tell(cudaMemPoolAttrReleaseThreshold, UINT64_MAX);
  double* const data = NewBlock(nullptr);
  Set(data, 1, nullptr);
  Free(data, nullptr);
  double* const different = NewBlock(other);
  EXPECT_NE(different, data);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(NewBlock(other), data);
  Free(data, other);
  Free(different, other);
}

TEST_F(FakeBlockTest, OfSeveralReleasesTheLastMustHaveRun) {
  cudaStream_t const other = NewStream();
  double* const data = NewBlock(nullptr);
  Free(data, nullptr);
  ASSERT_EQ(NewBlock(nullptr), data);
  Free(data, nullptr);
  for (int step = 0; step < 2; ++step) EXPECT_TRUE(RunOne(0));
  double* const different = NewBlock(other);
  EXPECT_NE(different, data) << "its second use is still queued";
  Free(different, other);
}

TEST_F(FakeBlockTest, AReleaseThatOtherWorkMayOutliveIsReported) {
  cudaStream_t const other = NewStream();
  double* const data = NewBlock(nullptr);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  Set(data, 1, other);
  Free(data, nullptr);
  EXPECT_THAT(TakeReports(), ElementsAre(HasSubstr("write by cudaFreeAsync")));
}

TEST_F(FakeBlockTest, UseBeforeTheAllocationAndAfterTheReleaseIsReported) {
  cudaStream_t const other = NewStream();
  double* const data = NewBlock(nullptr);
  Set(data, 1, other);
  EXPECT_THAT(TakeReports(),
              ElementsAre(HasSubstr("not ordered with the write by cudaMallocAsync")));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  Free(data, nullptr);
  Kernel("late", {Reads(data)}, nullptr, [] {});
  EXPECT_THAT(TakeReports(), ElementsAre(HasSubstr("late on device 0 reads 8 bytes that are in no "
                                                   "block in use")));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  Restart();
}

TEST_F(FakeBlockTest, ThePoolGivesMemoryBackBeyondItsThreshold) {
  double* const one = NewBlock(nullptr, 100);
  double* const two = NewBlock(nullptr, 200);
  EXPECT_EQ(Ask(cudaMemPoolAttrUsedMemCurrent), 2400u);
  EXPECT_EQ(Ask(cudaMemPoolAttrReservedMemCurrent), 2400u);
  EXPECT_EQ(Tell(cudaMemPoolAttrReleaseThreshold, 2000), cudaSuccess);
  EXPECT_EQ(Ask(cudaMemPoolAttrReleaseThreshold), 2000u);
  Free(one, nullptr);
  Free(two, nullptr);
  EXPECT_EQ(Ask(cudaMemPoolAttrUsedMemCurrent), 0u);
  EXPECT_EQ(Ask(cudaMemPoolAttrReservedMemCurrent), 2400u) << "the releases have not run";
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(Ask(cudaMemPoolAttrReservedMemCurrent), 1600u);
  cudaMemPool_t pool = nullptr;
  EXPECT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
  EXPECT_EQ(cudaMemPoolTrimTo(pool, 0), cudaSuccess);
  EXPECT_EQ(Ask(cudaMemPoolAttrReservedMemCurrent), 0u);
  EXPECT_EQ(Ask(cudaMemPoolAttrReservedMemHigh), 2400u);
  EXPECT_EQ(Ask(cudaMemPoolAttrUsedMemHigh), 2400u);
  EXPECT_EQ(Tell(cudaMemPoolAttrReservedMemHigh, 0), cudaSuccess);
  EXPECT_EQ(Tell(cudaMemPoolAttrUsedMemHigh, 0), cudaSuccess);
  EXPECT_EQ(Ask(cudaMemPoolAttrReservedMemHigh) + Ask(cudaMemPoolAttrUsedMemHigh), 0u);
  EXPECT_EQ(Tell(cudaMemPoolAttrUsedMemHigh, 1), cudaErrorInvalidValue);
  EXPECT_EQ(Tell(cudaMemPoolAttrUsedMemCurrent, 0), cudaErrorInvalidValue);
  double* const again = NewBlock(nullptr, 100);
  Set(again, 1, nullptr);
  Free(again, nullptr);
}

TEST_F(FakeBlockTest, ADeviceHasSoMuchMemory) {
  SetMemory(0, 1000);
  void* data = nullptr;
  EXPECT_EQ(cudaMallocAsync(&data, 1001, nullptr), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  double* const block = NewBlock(nullptr, 100);
  size_t free_bytes = 0, total_bytes = 0;
  EXPECT_EQ(cudaMemGetInfo(&free_bytes, &total_bytes), cudaSuccess);
  EXPECT_EQ(free_bytes, 200u);
  EXPECT_EQ(total_bytes, 1000u);
  EXPECT_EQ(cudaMalloc(&data, 201), cudaErrorMemoryAllocation);
  Free(block, nullptr);
  EXPECT_EQ(cudaMalloc(&data, 1000), cudaErrorMemoryAllocation) << "the pool has it";
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&data, 1000), cudaSuccess);
  EXPECT_EQ(cudaFree(data), cudaSuccess);
}

TEST_F(FakeBlockTest, BlocksOutsideThePoolAreForAllStreams) {
  void* data = nullptr;
  for (int i = 0; i < 2; ++i) {  // The second time the simulator's addresses are used again.
    EXPECT_EQ(cudaMalloc(&data, sizeof(double)), cudaSuccess);
    cudaStream_t const stream = NewStream();
    Set(static_cast<double*>(data), 5, stream);
    EXPECT_EQ(Get(static_cast<double*>(data), stream), 5);
    EXPECT_EQ(cudaFreeAsync(data, stream), cudaErrorInvalidValue) << "it has no stream";
    EXPECT_EQ(cudaFree(data), cudaSuccess);
  }
  EXPECT_EQ(cudaFree(data), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&data, 0), cudaSuccess);
  EXPECT_EQ(data, nullptr);
  EXPECT_EQ(cudaFree(NewBlock(nullptr)), cudaSuccess) << "of the pool";
}

TEST_F(FakeBlockTest, AddressesThatAreNoBlocksAreRefused) {
  double* const data = NewBlock(nullptr, 2);
  EXPECT_EQ(cudaFreeAsync(data + 1, nullptr), cudaErrorInvalidValue);
  Free(data, nullptr);
  EXPECT_EQ(cudaFreeAsync(data, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(data), cudaErrorInvalidValue);
  void* none = nullptr;
  EXPECT_EQ(cudaMallocAsync(&none, 0, nullptr), cudaErrorInvalidValue);
  cudaStream_t const gone = NewStream();
  EXPECT_EQ(cudaStreamDestroy(gone), cudaSuccess);
  EXPECT_EQ(cudaMallocAsync(&none, 8, gone), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaFreeAsync(data, gone), cudaErrorInvalidResourceHandle);
  cudaMemPool_t pool = nullptr;
  EXPECT_EQ(cudaDeviceGetDefaultMemPool(&pool, kDevices), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, static_cast<cudaMemPoolAttr>(15), &none),
            cudaErrorInvalidValue);
}

TEST_F(FakeBlockTest, PointersTellWhatTheyPointTo) {
  cudaPointerAttributes attributes{};
  double* const data = NewBlock(nullptr, 2);
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, data + 1), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  EXPECT_EQ(attributes.devicePointer, data + 1);
  void* pinned = nullptr;
  EXPECT_EQ(cudaMallocHost(&pinned, 8), cudaSuccess);
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, pinned), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, &attributes), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  Free(data, nullptr);
}

}  // namespace
}  // namespace twingrad::cuda::fake
