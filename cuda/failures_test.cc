// What CUDA may answer, at each call of a program that uses all of the device interface: a clear
// Error, nothing lost, and where CUDA allows it a device that goes on. Over the fake runtime, which
// can be told to fail.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "autograd/base/error.h"
#include "cuda/cuda_device.h"
#include "cuda/fake/control.h"
#include "cuda/fill.h"
#include "cuda/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace twingrad::cuda {
namespace {

using ::testing::AnyOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr size_t kNumbers = 100;
constexpr size_t kBlockBytes = kNumbers * sizeof(double);

// A block for a scope.
class Held {
 public:
  Held(CudaDevice& device, Stream stream)
      : device_(device), data_(static_cast<double*>(device.Allocate(kBlockBytes, stream))) {}
  ~Held() { device_.Deallocate(data_); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  double* get() const { return data_; }

 private:
  CudaDevice& device_;
  double* const data_;
};

// Fills a block on one stream, uses it on another and on another device, and reads the result.
std::vector<double> UseAll(CudaDevice& device) {
  const Stream first{Device::Cuda(0)}, abroad{Device::Cuda(1)};
  const Stream second = device.CreateStream(0);
  const Held filled(device, first), copied(device, second), moved(device, abroad);
  const std::unique_ptr<Event> done = device.CreateEvent(0);
  std::vector<double> numbers(kNumbers, 1);
  device.CopyFromHost(filled.get(), numbers.data(), kBlockBytes, first);
  ThrowIfFailed(cudaSetDevice(0), "choosing a device");  // whose kernels are launched
  ThrowIfFailed(LaunchFill(filled.get(), kNumbers - 1, 3, 0, device.Native(first)), "filling");
  done->Record(first);
  done->MakeWait(second);
  device.RecordStream(filled.get(), second);
  device.CopyOnDevice(copied.get(), filled.get(), kBlockBytes, second);
  device.Synchronize(second);
  device.RecordStream(copied.get(), abroad);
  device.CopyOnDevice(moved.get(), copied.get(), kBlockBytes, abroad);
  device.CopyToHost(numbers.data(), moved.get(), kBlockBytes, abroad);
  if (!done->IsReached()) done->Synchronize();
  device.SynchronizeDevice(0);
  return numbers;
}

std::vector<double> Expected() {
  std::vector<double> numbers(kNumbers, 3);
  numbers.back() = 1;
  return numbers;
}

class FailuresTest : public testing::Test {
 protected:
  FailuresTest() {
    fake::Restart();
    EXPECT_EQ(DeviceCount(), fake::kDevices) << "asked for once a process, before anything fails";
  }
  ~FailuresTest() override { fake::Restart(); }

  // The error of `run`, "" if there is none; of another kind than kDevice it fails the test.
  template <class Run>
  static std::string ErrorOf(Run run) {
    try {
      run();
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kDevice) << error.what();
      EXPECT_THAT(error.what(), StartsWith("[cuda] "));
      return error.what();
    }
  }
};

// A call that fails once leaves no trace: whichever it is, the same program runs afterwards.
TEST_F(FailuresTest, AnyCallMayFailOnce) {
  int errors = 0, failures = 0;
  for (const auto& [code, caches] : {std::pair(cudaErrorMemoryAllocation, false),
                                     {cudaErrorUnknown, false},
                                     {cudaErrorUnknown, true}}) {
    for (int n = 1;; ++n) {
      fake::Restart();
      CudaDevice device(caches);
      fake::FailCall("", n, code);
      const std::string error = ErrorOf([&] { UseAll(device); });
      if (!fake::HasFailed()) {
        EXPECT_EQ(error, "");
        break;
      }
      ++failures;
      SCOPED_TRACE(testing::Message() << "call " << n << ", " << fake::WhatFailed());
      if (error.empty()) {
        // Of releases, which are made later; of the way back to the thread's device; of counts; of
        // what is tried again.
        EXPECT_THAT(
            fake::WhatFailed(),
            AnyOf("cudaFreeAsync", "cudaSetDevice", "cudaStreamCreateWithFlags",
                  "cudaEventCreateWithFlags", "cudaEventRecord", "cudaStreamWaitEvent",
                  "cudaMemPoolGetAttribute", "cudaPointerGetAttributes", "cudaMallocAsync"));
      } else {
        ++errors;
        EXPECT_THAT(error, HasSubstr(cudaGetErrorName(code)));
      }
      EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess) << "the next launch would report it";
      cudaSetDevice(0);
      EXPECT_EQ(UseAll(device), Expected());
      EXPECT_THAT(fake::TakeReports(), IsEmpty());
      for (uint8_t index = 0; index < 3; ++index) device.ReleaseCache(index);
      EXPECT_EQ(fake::CountLive().blocks, 0);
      EXPECT_EQ(fake::CountLive().events, 0);
    }
  }
  EXPECT_GT(failures, 100);
  EXPECT_GT(errors, 50);
}

// Work that fails makes every later call fail, in this process, and Deallocate throws nothing.
TEST_F(FailuresTest, FailedWorkFailsAllThatFollows) {
  const cudaError_t codes[] = {cudaErrorIllegalAddress, cudaErrorLaunchFailure,
                               cudaErrorECCUncorrectable};
  for (const cudaError_t code : codes) {
    for (int n = 1;; ++n) {
      fake::Restart();
      CudaDevice device;
      fake::FailWork(n, code);
      const std::string error = ErrorOf([&] { UseAll(device); });
      if (!fake::HasFailed()) break;
      SCOPED_TRACE(testing::Message() << "work " << n << ", " << fake::WhatFailed());
      EXPECT_THAT(error, HasSubstr(cudaGetErrorName(code)));
      EXPECT_THAT(error, HasSubstr("until the process is started anew"));
      for (int again = 0; again < 2; ++again) {
        EXPECT_THAT(ErrorOf([&] { UseAll(device); }), HasSubstr(cudaGetErrorName(code)));
      }
      EXPECT_THAT(fake::TakeReports(), IsEmpty());
    }
  }
  fake::Restart();
  CudaDevice fresh;
  EXPECT_EQ(UseAll(fresh), Expected());
}

TEST_F(FailuresTest, ALaunchThatFailsIsNotQueuedAndTheDeviceGoesOn) {
  CudaDevice device;
  for (const cudaError_t code : {cudaErrorLaunchOutOfResources, cudaErrorInvalidConfiguration}) {
    fake::FailCall("launch", 1, code);
    EXPECT_THAT(ErrorOf([&] { UseAll(device); }),
                StartsWith(std::string("[cuda] filling failed: ") + cudaGetErrorString(code)));
    EXPECT_EQ(UseAll(device), Expected());
  }
}

TEST_F(FailuresTest, ALostDeviceLeavesTheOthers) {
  CudaDevice device;
  EXPECT_EQ(UseAll(device), Expected());
  fake::LoseDevice(0);
  EXPECT_THAT(ErrorOf([&] { UseAll(device); }), HasSubstr("use another device"));
  const Stream other{Device::Cuda(2)};
  // The thread's current device is the lost one, as it was at the start.
  const Held block(device, other);
  ThrowIfFailed(cudaSetDevice(2), "choosing a device");
  ThrowIfFailed(LaunchFill(block.get(), kNumbers, 4, 0, device.Native(other)), "filling");
  std::vector<double> numbers(kNumbers);
  device.CopyToHost(numbers.data(), block.get(), kBlockBytes, other);
  EXPECT_THAT(numbers, Each(4.0));
}

TEST_F(FailuresTest, OutOfMemoryTellsTheSizes) {
  fake::SetMemory(0, 1000);
  CudaDevice device;
  const Stream stream{Device::Cuda(0)};
  {
    const Held held(device, stream);
    EXPECT_EQ(
        ErrorOf([&] { const Held more(device, stream); }),
        "[cuda] no memory for 800 bytes on cuda:0: 800 bytes are in use, 200 of 1000 are free "
        "after the cache of freed memory was released; free tensors or use smaller ones");
  }
  const Held again(device, stream);
}

TEST_F(FailuresTest, TheCacheIsReleasedBeforeMemoryIsOut) {
  fake::SetMemory(0, 1000);
  CudaDevice device;
  const Stream stream{Device::Cuda(0)};
  { const Held held(device, stream); }
  EXPECT_EQ(device.Statistics(0).cache_releases, 0);
  void* const other = device.Allocate(900, stream);
  EXPECT_EQ(device.Statistics(0).cache_releases, 1);
  device.Deallocate(other);
}

TEST_F(FailuresTest, AReleaseThatFailsIsMadeLater) {
  CudaDevice device;
  const Stream stream{Device::Cuda(0)}, user = device.CreateStream(0);
  for (const char* call : {"cudaFreeAsync", "cudaEventRecord", "cudaStreamWaitEvent"}) {
    void* const data = device.Allocate(8, stream);
    device.RecordStream(data, user);
    fake::FailCall(call, 1, cudaErrorUnknown);
    device.Deallocate(data);
    EXPECT_TRUE(fake::HasFailed());
    EXPECT_EQ(fake::CountLive().blocks, 1);
    EXPECT_EQ(device.Statistics(0).bytes_in_use, 0u) << "whoever asked has given it back";
    void* const next = device.Allocate(8, stream);
    EXPECT_EQ(fake::CountLive().blocks, 1) << "the other one has been given back";
    device.Deallocate(next);
  }
}

}  // namespace
}  // namespace twingrad::cuda
