#include "cuda/cuda_device.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/device/device_registry.h"
#include "cuda/fill.h"
#include "cuda/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace twingrad::cuda {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr int64_t kCount = 1 << 16;
constexpr size_t kBytes = kCount * sizeof(double);
// About a tenth of a second on a GPU of 2 GHz: work that does not wait for it is seen to be early.
constexpr int64_t kDelay = 200'000'000;

// What holds on every machine, with a GPU or without.

TEST(CudaRegistrationTest, LinkingRegistersIt) {
  ASSERT_NE(FindDeviceInterface(DeviceType::kCuda), nullptr);
  EXPECT_EQ(RegisteredCudaDevice().type(), DeviceType::kCuda);
}

TEST(CudaRegistrationTest, AMissingDeviceIsAnError) {
  CudaDevice& cuda = RegisteredCudaDevice();
  const auto index = static_cast<uint8_t>(cuda.DeviceCount());
  const Stream missing{Device::Cuda(index)};
  const std::function<void()> calls[] = {
      [&] { cuda.Allocate(8, missing); }, [&] { cuda.CreateStream(index); },
      [&] { cuda.CreateEvent(index); }, [&] { cuda.SynchronizeDevice(index); }};
  for (const auto& call : calls) {
    try {
      call();
      ADD_FAILURE() << "call " << &call - calls << " did not throw";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kDevice);
      EXPECT_THAT(error.what(), HasSubstr("there is no device " + missing.device.ToString()));
    }
  }
}

TEST(CudaRegistrationTest, AStreamOfAnotherTypeIsAnError) {
  try {
    RegisteredCudaDevice().Synchronize(Stream{Device::Cpu()});
    ADD_FAILURE() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInvalidArgument);
  }
}

class CudaDeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (cuda::DeviceCount() == 0) GTEST_SKIP() << WhyNoDevice();
  }

  double* Allocate(Stream stream) { return static_cast<double*>(device_.Allocate(kBytes, stream)); }

  void Fill(double* data, double value, int64_t delay, Stream stream) {
    ThrowIfFailed(LaunchFill(data, kCount, value, delay, device_.Native(stream)), "filling");
  }

  std::vector<double> Read(const double* data, Stream stream) {
    std::vector<double> host(kCount);
    device_.CopyToHost(host.data(), data, kBytes, stream);
    return host;
  }

  CudaDevice& device_ = RegisteredCudaDevice();
  const Stream default_stream_{Device::Cuda(0)};
};

TEST_F(CudaDeviceTest, MemoryIsAlignedAndNeverNull) {
  for (size_t bytes : {size_t{0}, size_t{1}, kBytes}) {
    void* const data = device_.Allocate(bytes, default_stream_);
    EXPECT_NE(data, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 64, 0U);
    device_.Deallocate(data);
  }
}

TEST_F(CudaDeviceTest, TooMuchMemoryIsAnErrorAndTheDeviceGoesOn) {
  EXPECT_THROW(device_.Allocate(size_t{1} << 50, default_stream_), Error);
  double* const data = Allocate(default_stream_);
  Fill(data, 3, 0, default_stream_);
  EXPECT_THAT(Read(data, default_stream_), Each(3.0));
  device_.Deallocate(data);
}

TEST_F(CudaDeviceTest, MemoryIsCachedAndCounted) {
  device_.ReleaseCache(0);
  const CudaDevice::MemoryStatistics before = device_.Statistics(0);
  for (int i = 0; i < 3; ++i) {
    double* const data = Allocate(default_stream_);
    const CudaDevice::MemoryStatistics during = device_.Statistics(0);
    EXPECT_EQ(during.bytes_in_use, before.bytes_in_use + kBytes);
    EXPECT_GE(during.peak_bytes_in_use, during.bytes_in_use);
    EXPECT_EQ(during.allocations, before.allocations + i + 1);
    device_.Deallocate(data);
    device_.SynchronizeDevice(0);
  }
  const CudaDevice::MemoryStatistics after = device_.Statistics(0);
  EXPECT_EQ(after.bytes_in_use, before.bytes_in_use);
  EXPECT_GE(after.bytes_cached, before.bytes_cached + kBytes);
  EXPECT_EQ(after.device_allocations, before.device_allocations + 1) << "the others were cached";
  device_.ReleaseCache(0);
  EXPECT_LT(device_.Statistics(0).bytes_cached, after.bytes_cached);
  EXPECT_EQ(device_.Statistics(0).cache_releases, after.cache_releases + 1);
}

// The cache of its own, which the pool knows nothing of.
TEST_F(CudaDeviceTest, AStreamGetsItsBlocksAgainWithoutAskingThePool) {
  CudaDevice device(/*caches_blocks=*/true);
  const Stream other = device.CreateStream(0);
  void* const first = device.Allocate(kBytes, default_stream_);
  device.Deallocate(first);
  void* const second = device.Allocate(kBytes - 1, default_stream_);
  EXPECT_EQ(second, first);
  void* const theirs = device.Allocate(kBytes, other);
  EXPECT_NE(theirs, first);
  EXPECT_EQ(device.Statistics(0).pool_allocations, 2);
  EXPECT_EQ(device.Statistics(0).allocations, 3);
  EXPECT_EQ(device.Statistics(0).bytes_in_use, 2 * kBytes - 1);
  device.Deallocate(second);
  EXPECT_GE(device.Statistics(0).bytes_cached, kBytes);
  // What another stream has used is the pool's again.
  device.RecordStream(theirs, default_stream_);
  device.Deallocate(theirs);
  device.Deallocate(device.Allocate(kBytes, other));
  EXPECT_EQ(device.Statistics(0).pool_allocations, 3);
  device.ReleaseCache(0);
}

TEST_F(CudaDeviceTest, CopiesRoundTripAndReadTheHostBeforeTheyReturn) {
  double* const one = Allocate(default_stream_);
  double* const two = Allocate(default_stream_);
  Fill(one, 0, kDelay, default_stream_);  // The copy has to wait for the device, not for the host.
  std::vector<double> host(kCount, 5);
  device_.CopyFromHost(one, host.data(), kBytes, default_stream_);
  std::fill(host.begin(), host.end(), 0);
  device_.CopyOnDevice(two, one, kBytes, default_stream_);
  EXPECT_THAT(Read(two, default_stream_), Each(5.0));
  device_.Deallocate(one);
  device_.Deallocate(two);
}

TEST_F(CudaDeviceTest, PinnedHostMemoryIsReadBeforeTheCopyReturns) {
  void* pinned = nullptr;
  ThrowIfFailed(cudaMallocHost(&pinned, kBytes), "pinning memory");
  double* const host = static_cast<double*>(pinned);
  std::fill(host, host + kCount, 5.0);
  double* const data = Allocate(default_stream_);
  Fill(data, 0, kDelay, default_stream_);
  device_.CopyFromHost(data, host, kBytes, default_stream_);
  std::memset(host, 0, kBytes);
  EXPECT_THAT(Read(data, default_stream_), Each(5.0));
  device_.Deallocate(data);
  cudaFreeHost(pinned);
}

TEST_F(CudaDeviceTest, PinnedHostMemoryIsWrittenWhenTheCopyReturns) {
  void* pinned = nullptr;
  ThrowIfFailed(cudaMallocHost(&pinned, kBytes), "pinning memory");
  double* const host = static_cast<double*>(pinned);
  std::fill(host, host + kCount, 0.0);
  double* const data = Allocate(default_stream_);
  Fill(data, 4, kDelay, default_stream_);
  device_.CopyToHost(host, data, kBytes, default_stream_);
  EXPECT_THAT(std::vector<double>(host, host + kCount), Each(4.0));
  device_.Deallocate(data);
  cudaFreeHost(pinned);
}

TEST_F(CudaDeviceTest, StreamsAreIndependentOfTheDefaultStream) {
  const Stream other = device_.CreateStream(0);
  EXPECT_NE(other, default_stream_);
  double* const slow = Allocate(default_stream_);
  double* const fast = Allocate(other);
  const auto slow_done = device_.CreateEvent(0);
  Fill(slow, 1, 4 * kDelay, default_stream_);
  slow_done->Record(default_stream_);
  Fill(fast, 2, 0, other);
  device_.Synchronize(other);
  EXPECT_FALSE(slow_done->IsReached()) << "the other stream waited for the default stream";
  slow_done->Synchronize();
  EXPECT_TRUE(slow_done->IsReached());
  EXPECT_THAT(Read(slow, default_stream_), Each(1.0));
  EXPECT_THAT(Read(fast, other), Each(2.0));
  device_.Deallocate(slow);
  device_.Deallocate(fast);
}

TEST_F(CudaDeviceTest, AnEventOrdersTwoStreams) {
  const Stream producer = device_.CreateStream(0);
  const Stream consumer = device_.CreateStream(0);
  double* const data = Allocate(producer);
  double* const copy = Allocate(consumer);
  device_.Synchronize(producer);
  const auto filled = device_.CreateEvent(0);
  Fill(data, 7, kDelay, producer);
  filled->Record(producer);
  filled->MakeWait(consumer);
  device_.CopyOnDevice(copy, data, kBytes, consumer);
  EXPECT_THAT(Read(copy, consumer), Each(7.0));
  device_.Deallocate(data);
  device_.Deallocate(copy);
}

TEST_F(CudaDeviceTest, AnEventThatRecordedNothingIsReached) {
  const auto event = device_.CreateEvent(0);
  EXPECT_TRUE(event->IsReached());
  event->MakeWait(default_stream_);
  event->Synchronize();
  device_.Synchronize(default_stream_);
}

TEST_F(CudaDeviceTest, AnEventRecordsStreamsOfItsOwnDevice) {
  const auto event = device_.CreateEvent(0);
  try {
    event->Record(Stream{Device::Cuda(1)});
    ADD_FAILURE() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInvalidArgument);
    EXPECT_THAT(error.what(), HasSubstr("an event of cuda:0 cannot record cuda:1 stream 0"));
  }
  event->Record(default_stream_);
  event->Synchronize();
  EXPECT_TRUE(event->IsReached());
}

TEST_F(CudaDeviceTest, ABlockUsedByAnotherStreamIsNotReusedUnderIt) {
  const Stream user = device_.CreateStream(0);
  double* const data = Allocate(default_stream_);
  double* const copy = Allocate(user);
  Fill(data, 9, 0, default_stream_);
  device_.SynchronizeDevice(0);
  Fill(copy, 0, kDelay, user);  // Keeps the user's stream busy past the release below.
  device_.CopyOnDevice(copy, data, kBytes, user);
  device_.RecordStream(data, user);
  device_.Deallocate(data);
  std::vector<double*> blocks;
  for (int i = 0; i < 8; ++i) {  // One of these would get the block, were it free.
    blocks.push_back(Allocate(default_stream_));
    Fill(blocks.back(), -1, 0, default_stream_);
  }
  EXPECT_THAT(Read(copy, user), Each(9.0));
  for (double* block : blocks) device_.Deallocate(block);
  device_.Deallocate(copy);
}

TEST_F(CudaDeviceTest, AddressesThatAreNoBlocksAreErrors) {
  double host = 0;
  EXPECT_THROW(device_.Deallocate(&host), Error);
  EXPECT_THROW(device_.RecordStream(&host, default_stream_), Error);
  void* const data = device_.Allocate(8, default_stream_);
  device_.Deallocate(data);
  EXPECT_THROW(device_.Deallocate(data), Error);
}

TEST_F(CudaDeviceTest, StreamsThatWereNotCreatedAreErrors) {
  EXPECT_THROW(device_.Synchronize(Stream{Device::Cuda(0), 1'000'000}), Error);
}

}  // namespace
}  // namespace twingrad::cuda
