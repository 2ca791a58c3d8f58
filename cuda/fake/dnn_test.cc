// Convolutions of the fake cuDNN: the three sums; what is offered and what of it runs; what is
// refused; that it is judged as a kernel is, and fails as it is told.
#include "cuda/fake/dnn.h"

#include <cstddef>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "cuda/fake/test_device.h"
#include "gmock/gmock.h"

namespace twingrad::cuda::fake {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kSums = 1;  // the algorithm that runs

class FakeDnnTest : public FakeRuntimeTest {
 protected:
  // A convolution of lines of four by weights of two, with one zero before and behind: five sums.
  FakeDnnTest() {
    EXPECT_EQ(DnnCreate(&handle_), kDnnSuccess);
    EXPECT_EQ(DnnSetStream(handle_, stream_), kDnnSuccess);
    EXPECT_EQ(CreateTensor(&wide_), kDnnSuccess);
    EXPECT_EQ(CreateTensor(&narrow_), kDnnSuccess);
    EXPECT_EQ(CreateFilter(&filter_), kDnnSuccess);
    EXPECT_EQ(CreateConvolution(&by_), kDnnSuccess);
    EXPECT_EQ(Set(wide_, {1, 1, 1, 4}), kDnnSuccess);
    EXPECT_EQ(Set(narrow_, {1, 1, 1, 5}), kDnnSuccess);
    EXPECT_EQ(SetWeights({1, 1, 1, 2}), kDnnSuccess);
    EXPECT_EQ(SetSteps({0, 1}), kDnnSuccess);
    EXPECT_EQ(SetMath(by_, kDnnFmaMath), kDnnSuccess);
  }
  void TearDown() override {
    for (double* const data : blocks_) Free(data, stream_);
    EXPECT_EQ(DestroyTensor(wide_), kDnnSuccess);
    EXPECT_EQ(DestroyTensor(narrow_), kDnnSuccess);
    EXPECT_EQ(DestroyFilter(filter_), kDnnSuccess);
    EXPECT_EQ(DestroyConvolution(by_), kDnnSuccess);
    EXPECT_EQ(CountDescriptors(), 0);
  }

  static DnnStatus Set(DnnTensor tensor, const std::vector<int>& sizes, DnnType type = kDnnDouble) {
    std::vector<int> strides(sizes.size(), 1);
    for (size_t d = sizes.size() - 1; d-- > 0;) strides[d] = strides[d + 1] * sizes[d + 1];
    return SetTensor(tensor, type, static_cast<int>(sizes.size()), sizes.data(), strides.data());
  }
  DnnStatus SetWeights(const std::vector<int>& sizes, DnnType type = kDnnDouble) {
    return SetFilter(filter_, type, kDnnRowMajor, static_cast<int>(sizes.size()), sizes.data());
  }
  DnnStatus SetSteps(const std::vector<int>& padding, DnnType type = kDnnDouble) {
    const std::vector<int> ones(padding.size(), 1);
    return SetConvolution(by_, static_cast<int>(padding.size()), padding.data(), ones.data(),
                          ones.data(), kDnnCrossCorrelation, type);
  }
  double* Filled(const std::vector<double>& numbers) {
    blocks_.push_back(FakeRuntimeTest::Filled(numbers, stream_));
    return blocks_.back();
  }
  std::vector<double> Read(const double* data, size_t count) {
    return FakeRuntimeTest::Read(data, count, stream_);
  }
  double* Workspace() { return Filled(std::vector<double>(kDnnWorkspaceBytes / sizeof(double))); }
  DnnStatus Forward(const double* a, const double* b, double* c, void* workspace,
                    size_t bytes = kDnnWorkspaceBytes, int algorithm = kSums) {
    const double one = 1, zero = 0;
    return RunConvolution(handle_, &one, wide_, a, filter_, b, by_, algorithm, workspace, bytes,
                          &zero, narrow_, c);
  }
  DnnStatus ForwardOfNumbers() {
    return Forward(Filled({1, 2, 3, 4}), Filled({10, 1}), Filled({0, 0, 0, 0, 0}), Workspace());
  }

  const cudaStream_t stream_ = NewStream();
  DnnHandle handle_ = nullptr;
  DnnTensor wide_ = nullptr, narrow_ = nullptr;
  DnnFilter filter_ = nullptr;
  DnnConvolution by_ = nullptr;
  std::vector<double*> blocks_;
};

TEST_F(FakeDnnTest, SumsForwardAndBack) {
  double *const a = Filled({1, 2, 3, 4}), *const b = Filled({10, 1}),
                *const c = Filled({9, 9, 9, 9, 9}), *const workspace = Workspace();
  EXPECT_EQ(Forward(a, b, c, workspace), kDnnSuccess);
  EXPECT_THAT(Read(c, 5), ElementsAre(1, 12, 23, 34, 40));
  const double one = 1, zero = 0;
  double* const g = Filled({1, 0, 2, 0, 3});
  EXPECT_EQ(RunConvolution(handle_, &one, filter_, b, narrow_, g, by_, kSums, workspace,
                           kDnnWorkspaceBytes, &zero, wide_, a),
            kDnnSuccess);
  EXPECT_THAT(Read(a, 4), ElementsAre(1, 20, 2, 30));
  EXPECT_EQ(RunConvolution(handle_, &one, wide_, a, narrow_, g, by_, kSums, workspace,
                           kDnnWorkspaceBytes, &zero, filter_, b),
            kDnnSuccess);
  EXPECT_THAT(Read(b, 2), ElementsAre(2 * 20 + 3 * 30, 1 + 2 * 2));
}

// Two groups of a channel and two results; two samples; planes, of which one dimension has strides.
TEST_F(FakeDnnTest, SumsOfGroupsAndPlanes) {
  EXPECT_EQ(Set(wide_, {2, 2, 1, 3}), kDnnSuccess);
  EXPECT_EQ(SetWeights({4, 1, 1, 1}), kDnnSuccess);
  EXPECT_EQ(Set(narrow_, {2, 4, 1, 2}), kDnnSuccess);
  const int none[] = {0, 0}, ones[] = {1, 1}, strides[] = {1, 2};
  EXPECT_EQ(SetConvolution(by_, 2, none, strides, ones, kDnnCrossCorrelation, kDnnDouble),
            kDnnSuccess);
  EXPECT_EQ(SetGroups(by_, 2), kDnnSuccess);
  double* const c = Filled(std::vector<double>(16));
  EXPECT_EQ(Forward(Filled({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), Filled({1, 10, 100, 1000}), c,
                    Workspace()),
            kDnnSuccess);
  EXPECT_THAT(Read(c, 16), ElementsAre(1, 3, 10, 30, 400, 600, 4000, 6000, 7, 9, 70, 90, 1000, 1200,
                                       10000, 12000));
}

TEST_F(FakeDnnTest, AWeightThatNoWindowBringsToAPlaceMeetsAZero) {
  EXPECT_EQ(Set(narrow_, {1, 1, 1, 3}), kDnnSuccess);
  EXPECT_EQ(SetSteps({0, 0}), kDnnSuccess);
  double* const a = Filled({0, 0, 0, 0});
  const double one = 1, zero = 0, infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(
      RunConvolution(handle_, &one, filter_, Filled({infinity, 1}), narrow_, Filled({1, 1, 1}), by_,
                     kSums, Workspace(), kDnnWorkspaceBytes, &zero, wide_, a),
      kDnnSuccess);
  EXPECT_THAT(Read(a, 4), ElementsAre(infinity, infinity, infinity, testing::IsNan()));
}

TEST_F(FakeDnnTest, OffersManyAlgorithmsOfWhichTheLastRuns) {
  DnnOffer offers[16];
  int count = 0;
  EXPECT_EQ(OfferAlgorithms(handle_, wide_, filter_, by_, narrow_, 16, &count, offers),
            kDnnSuccess);
  ASSERT_EQ(count, 6);
  size_t bytes = 0;
  EXPECT_EQ(GetWorkspace(handle_, wide_, filter_, by_, narrow_, offers[4].algorithm, &bytes),
            kDnnSuccess);
  EXPECT_EQ(bytes, offers[4].memory);
  double *const a = Filled({1, 2, 3, 4}), *const b = Filled({1, 2}),
                *const c = Filled({0, 0, 0, 0, 0});
  for (const int i : {0, 1, 3, 4}) {
    EXPECT_EQ(Forward(a, b, c, Workspace(), kDnnWorkspaceBytes, offers[i].algorithm),
              kDnnNotSupported);
  }
  EXPECT_EQ(GetWorkspace(handle_, wide_, filter_, by_, narrow_, offers[5].algorithm, &bytes),
            kDnnSuccess);
  EXPECT_EQ(bytes, kDnnWorkspaceBytes);
  EXPECT_EQ(Forward(a, b, c, Workspace(), bytes, offers[5].algorithm), kDnnSuccess);
  EXPECT_EQ(OfferAlgorithms(handle_, filter_, narrow_, by_, wide_, 2, &count, offers), kDnnSuccess);
  EXPECT_EQ(count, 2);
}

TEST_F(FakeDnnTest, TheDefaultMathLosesDigitsOfF32) {
  for (const DnnTensor tensor : {wide_, narrow_}) {
    EXPECT_EQ(Set(tensor, {1, 1, 1, 1}, kDnnFloat), kDnnSuccess);
  }
  EXPECT_EQ(SetWeights({1, 1, 1, 1}, kDnnFloat), kDnnSuccess);
  EXPECT_EQ(SetSteps({0, 0}, kDnnFloat), kDnnSuccess);
  const float numbers[] = {1 + 0x1p-11f, 1}, one = 1, zero = 0;
  auto* const data = reinterpret_cast<float*>(Filled({0, 0}));
  cudaMemcpyAsync(data, numbers, sizeof(numbers), cudaMemcpyHostToDevice, stream_);
  for (const auto& [math, result] : {std::pair(kDnnFmaMath, numbers[0]), {kDnnDefaultMath, 1.0f}}) {
    EXPECT_EQ(SetMath(by_, math), kDnnSuccess);
    EXPECT_EQ(RunConvolution(handle_, &one, wide_, data, filter_, data + 1, by_, kSums, Workspace(),
                             kDnnWorkspaceBytes, &zero, narrow_, data + 2),
              kDnnSuccess);
    float seen = 0;
    cudaMemcpyAsync(&seen, data + 2, sizeof(seen), cudaMemcpyDeviceToHost, stream_);
    EXPECT_EQ(seen, result);
  }
}

TEST_F(FakeDnnTest, RefusesDescriptorsThatAreNotSetOrDoNotBelongTogether) {
  double *const a = Filled({1, 2, 3, 4}), *const b = Filled({1, 2}),
                *const c = Filled({0, 0, 0, 0, 0});
  double* const workspace = Workspace();
  const auto status = [&] { return Forward(a, b, c, workspace); };
  EXPECT_EQ(Set(narrow_, {1, 1, 1, 4}), kDnnSuccess);
  EXPECT_EQ(status(), kDnnShapeMismatch);
  EXPECT_EQ(Set(narrow_, {1, 2, 1, 5}), kDnnSuccess);
  EXPECT_EQ(status(), kDnnShapeMismatch);
  EXPECT_EQ(Set(narrow_, {1, 1, 1, 5}, kDnnFloat), kDnnSuccess);
  EXPECT_EQ(status(), kDnnBadParam);
  EXPECT_EQ(Set(narrow_, {1, 1, 1, 1, 5}), kDnnSuccess);
  EXPECT_EQ(status(), kDnnShapeMismatch);
  DnnTensor other = nullptr;
  EXPECT_EQ(CreateTensor(&other), kDnnSuccess);
  std::swap(other, narrow_);
  EXPECT_EQ(status(), kDnnNotFinalized);
  EXPECT_EQ(DestroyTensor(narrow_), kDnnSuccess);
  EXPECT_EQ(status(), kDnnBadParam);
  EXPECT_EQ(DestroyTensor(narrow_), kDnnBadParam);
  narrow_ = other;
  EXPECT_EQ(Set(narrow_, {1, 1, 1, 5}), kDnnSuccess);
  EXPECT_EQ(status(), kDnnSuccess);
}

TEST_F(FakeDnnTest, RefusesWhatIsNoTensorNoWeightsAndNoConvolution) {
  EXPECT_EQ(Set(wide_, {1, 1, 4}), kDnnNotSupported);
  EXPECT_EQ(Set(wide_, {1, 0, 1, 4}), kDnnBadParam);
  const int sizes[] = {1, 1, 2, 2}, columns[] = {4, 4, 1, 2}, none[] = {0, 0}, ones[] = {1, 1};
  EXPECT_EQ(SetTensor(wide_, kDnnDouble, 4, sizes, columns), kDnnNotSupported);
  EXPECT_EQ(SetTensor(nullptr, kDnnDouble, 4, sizes, columns), kDnnBadParam);
  EXPECT_EQ(SetWeights({1, 1, 1, 2}, static_cast<DnnType>(2)), kDnnBadParam);
  EXPECT_EQ(SetFilter(filter_, kDnnDouble, static_cast<DnnFormat>(1), 4, sizes), kDnnBadParam);
  EXPECT_EQ(SetSteps({0}), kDnnNotSupported);
  EXPECT_EQ(SetSteps({0, -1}), kDnnBadParam);
  EXPECT_EQ(SetConvolution(by_, 2, none, ones, ones, static_cast<DnnMode>(0), kDnnDouble),
            kDnnBadParam);
  EXPECT_EQ(SetConvolution(nullptr, 2, none, ones, ones, kDnnCrossCorrelation, kDnnDouble),
            kDnnBadParam);
  EXPECT_EQ(SetGroups(by_, 0), kDnnBadParam);
  EXPECT_EQ(SetMath(nullptr, kDnnFmaMath), kDnnBadParam);
}

TEST_F(FakeDnnTest, RefusesPointersScalarsAndWorkspacesThatAreNone) {
  double *const a = Filled({1, 2, 3, 4}), *const b = Filled({1, 2}),
                *const c = Filled({0, 0, 0, 0, 0});
  double* const workspace = Workspace();
  EXPECT_EQ(Forward(nullptr, b, c, workspace), kDnnNullPointer);
  EXPECT_EQ(Forward(a, b, c, nullptr), kDnnSizeInsufficient);
  EXPECT_EQ(Forward(a, b, c, workspace, kDnnWorkspaceBytes - 1), kDnnSizeInsufficient);
  const double one = 1, two = 2;
  EXPECT_EQ(RunConvolution(handle_, &one, wide_, a, filter_, b, by_, kSums, workspace,
                           kDnnWorkspaceBytes, &two, narrow_, c),
            kDnnNotSupported);
}

TEST_F(FakeDnnTest, HandlesAndStreamsAreOfOneDevice) {
  EXPECT_EQ(DnnSetStream(nullptr, stream_), kDnnBadParam);
  EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(DnnSetStream(handle_, NewStream()), kDnnBadParam);
  DnnOffer offer;
  int count = 0;
  EXPECT_EQ(OfferAlgorithms(handle_, wide_, filter_, by_, narrow_, 1, &count, &offer),
            kDnnBadParam);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
}

TEST_F(FakeDnnTest, FailsAsItIsTold) {
  FailDnn("cudnnCreate", 1, kDnnNotInitialized);
  DnnHandle other = nullptr;
  EXPECT_EQ(DnnCreate(&other), kDnnNotInitialized);
  EXPECT_EQ(other, nullptr);
  EXPECT_EQ(WhatFailed(), "cudnnCreate");
  for (const DnnStatus status : {kDnnVersionMismatch, kDnnBadParam, kDnnShapeNotSupported,
                                 kDnnInternalError, kDnnExecutionFailed}) {
    FailDnn("", 2, status);
    EXPECT_EQ(DnnSetStream(handle_, stream_), kDnnSuccess);
    EXPECT_EQ(ForwardOfNumbers(), status);
    EXPECT_EQ(WhatFailed(), "cudnnConvolutionForward");
    EXPECT_EQ(ForwardOfNumbers(), kDnnSuccess);
  }
  FailCall("cudnnCreate", 1, cudaErrorMemoryAllocation);
  EXPECT_EQ(DnnCreate(&other), kDnnDeviceAllocationFailed);
  FailCall("launch", 1, cudaErrorUnknown);
  EXPECT_EQ(ForwardOfNumbers(), kDnnCudartFailed);
  cudaGetLastError();
}

TEST_F(FakeDnnTest, EveryStatusHasAName) {
  for (const DnnStatus status :
       {kDnnSuccess, kDnnNotInitialized, kDnnVersionMismatch, kDnnLoadingFailed, kDnnBadParam,
        kDnnNullPointer, kDnnNotFinalized, kDnnSizeInsufficient, kDnnShapeMismatch,
        kDnnNotSupported, kDnnShapeNotSupported, kDnnInternalError, kDnnHostAllocationFailed,
        kDnnDeviceAllocationFailed, kDnnExecutionFailed, kDnnCudartFailed}) {
    EXPECT_THAT(DnnNameOf(status), HasSubstr("CUDNN_STATUS_")) << status;
  }
  EXPECT_EQ(DnnNameOf(static_cast<DnnStatus>(9999)), std::string_view("CUDNN_UNKNOWN_STATUS"));
}

TEST_F(FakeDnnTest, IsJudgedAsAKernelIs) {
  const cudaStream_t other = NewStream();
  double* const workspace = NewBlock(other, kDnnWorkspaceBytes / sizeof(double));
  double *const a = Filled({1, 2, 3, 4}), *const b = Filled({1, 2}),
                *const c = Filled({0, 0, 0, 0, 0});
  EXPECT_EQ(Forward(a, b, c, workspace), kDnnSuccess);
  EXPECT_THAT(TakeReports(), Contains(HasSubstr("convolution")));  // nothing orders the two
  cudaDeviceSynchronize();
  Free(workspace, other);
  EXPECT_THAT(TakeReports(), IsEmpty());
}

TEST_F(FakeDnnTest, MemoryIsThatOfTheDevice) {
  EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
  const cudaStream_t far = NewStream();
  double* const c = NewBlock(far, 5);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(Forward(Filled({1, 2, 3, 4}), Filled({1, 2}), c, Workspace()), kDnnSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaErrorIllegalAddress);
  EXPECT_THAT(TakeReports(), Contains(HasSubstr("bytes of another device")));
  blocks_.clear();
  Restart();
}

}  // namespace
}  // namespace twingrad::cuda::fake
