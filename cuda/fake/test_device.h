// What the tests of the fake runtime share: each begins with a runtime of its own, and kernels of
// one line.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "cuda/fake/control.h"
#include "cuda/fake/launch.h"
#include "gtest/gtest.h"

namespace twingrad::cuda::fake {

class FakeRuntimeTest : public testing::Test {
 protected:
  FakeRuntimeTest() { Restart(); }

  static cudaStream_t NewStream() {
    cudaStream_t stream = nullptr;
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    return stream;
  }
  static cudaEvent_t NewEvent() {
    cudaEvent_t event = nullptr;
    EXPECT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
    return event;
  }
  // Of `count` numbers.
  static double* NewBlock(cudaStream_t stream, size_t count = 1) {
    void* data = nullptr;
    EXPECT_EQ(cudaMallocAsync(&data, count * sizeof(double), stream), cudaSuccess);
    return static_cast<double*>(data);
  }
  // Of these numbers; to be read when what is queued has run.
  static double* Filled(const std::vector<double>& numbers, cudaStream_t stream) {
    double* const data = NewBlock(stream, numbers.size());
    EXPECT_EQ(cudaMemcpyAsync(data, numbers.data(), numbers.size() * sizeof(double),
                              cudaMemcpyHostToDevice, stream),
              cudaSuccess);
    return data;
  }
  static std::vector<double> Read(const double* data, size_t count, cudaStream_t stream) {
    std::vector<double> numbers(count);
    EXPECT_EQ(cudaMemcpyAsync(numbers.data(), data, count * sizeof(double), cudaMemcpyDeviceToHost,
                              stream),
              cudaSuccess);
    return numbers;
  }
  static void Free(double* data, cudaStream_t stream) {
    EXPECT_EQ(cudaFreeAsync(data, stream), cudaSuccess);
  }
  static Access Reads(const double* data, size_t count = 1) {
    return {data, count * sizeof(double), false};
  }
  static Access Writes(const double* data, size_t count = 1) {
    return {data, count * sizeof(double), true};
  }
  // A kernel of one thread.
  static cudaError_t Kernel(const char* name, std::vector<Access> accesses, cudaStream_t stream,
                            std::function<void()> run) {
    return LaunchOnHost(name, {1, 1, 0}, std::move(accesses), stream, std::move(run));
  }
  static void Set(double* data, double value, cudaStream_t stream) {
    EXPECT_EQ(Kernel("set", {Writes(data)}, stream, [=] { *data = value; }), cudaSuccess);
  }
  static double Get(const double* data, cudaStream_t stream) {
    double value = 0;
    EXPECT_EQ(cudaMemcpyAsync(&value, data, sizeof(value), cudaMemcpyDeviceToHost, stream),
              cudaSuccess);
    return value;
  }
};

}  // namespace twingrad::cuda::fake
