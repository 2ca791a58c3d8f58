// What convolutions do where cuDNN fails: what it has nothing for is a product of matrices, any
// other failure is an error with its name, and neither leaves anything behind. Over the fake
// runtime, which can be told to fail.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "autograd/base/error.h"
#include "autograd/base/test_errors.h"
#include "autograd/tensor/kernels/convolve.h"
#include "autograd/tensor/kernels/copy.h"
#include "cuda/dnn.h"
#include "cuda/fake/control.h"
#include "cuda/fake/dnn.h"
#include "cuda/kernels/convolution_plans.h"
#include "cuda/kernels/test_operands.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace twingrad::cuda {
namespace {

using namespace twingrad::kernels;
using ::testing::AllOf;
using ::testing::HasSubstr;

// Lines of so many elements: a shape of its own for each test, as plans are kept.
ConvolutionForm FormOfLines(int64_t size) {
  return {{BoxLine(size, {.kernel = 2})}, 1, {2, 3, size}, {4, 3, 2}, {2, 4, size - 1}};
}

class ConvolutionFailuresTest : public KernelsOnCudaTest {
 protected:
  void TearDown() override {
    fake::FailCall("", 0, cudaSuccess);
    fake::FailDnn("", 0, kDnnSuccess);
  }
  static Tensor Here(const Shape& sizes) { return Numbers(sizes, DType::kF32); }
  static void ExpectRight(const ConvolutionForm& form) {
    ExpectSame(Convolve(form, There(Here(form.wide)), There(Here(form.weights))),
               Convolve(form, Here(form.wide), Here(form.weights)));
  }
  static std::string MessageOf(const ConvolutionForm& form) {
    const Tensor wide = There(Here(form.wide)), weights = There(Here(form.weights));
    const Error error = ErrorOf([&] { Convolve(form, wide, weights); });
    EXPECT_EQ(error.kind(), ErrorKind::kDevice);
    return error.what();
  }
};

TEST_F(ConvolutionFailuresTest, AllThreePassesAreThoseOfCudnn) {
  const ConvolutionForm form = FormOfLines(10);
  const Tensor wide = There(Here(form.wide)), weights = There(Here(form.weights)),
               narrow = There(Here(form.narrow));
  const auto calls = [&](const char* entry, auto work) {
    fake::FailDnn(entry, 1, kDnnInternalError);
    const Error error = ErrorOf(work);
    EXPECT_THAT(error.what(), HasSubstr("CUDNN_STATUS_INTERNAL_ERROR")) << entry;
    EXPECT_EQ(fake::WhatFailed(), entry);
  };
  calls("cudnnConvolutionForward", [&] { Convolve(form, wide, weights); });
  calls("cudnnConvolutionBackwardData", [&] { ConvolveBack(form, narrow, weights); });
  calls("cudnnConvolutionBackwardFilter", [&] { ConvolveWeights(form, wide, narrow); });
  ExpectRight(form);
}

TEST_F(ConvolutionFailuresTest, WhatItHasNothingForIsAProductOfMatrices) {
  const ConvolutionForm form = FormOfLines(11);
  for (const DnnStatus status : {kDnnNotSupported, kDnnShapeNotSupported}) {
    fake::FailDnn("cudnnConvolutionForward", 1, status);
    ExpectRight(form);
    EXPECT_TRUE(fake::HasFailed());
  }
}

TEST_F(ConvolutionFailuresTest, WhatItCannotPlanIsNotAskedForAgain) {
  int64_t size = 20;
  for (const char* const entry :
       {"cudnnSetTensorNdDescriptor", "cudnnSetFilterNdDescriptor",
        "cudnnSetConvolutionNdDescriptor", "cudnnSetConvolutionGroupCount",
        "cudnnGetConvolutionForwardAlgorithm_v7"}) {
    const ConvolutionForm form = FormOfLines(++size);
    fake::FailDnn(entry, 1, kDnnNotSupported);
    ExpectRight(form);
    EXPECT_EQ(fake::WhatFailed(), entry);
    fake::FailDnn("cudnnConvolutionForward", 1, kDnnInternalError);
    ExpectRight(form);
    EXPECT_FALSE(fake::HasFailed());
  }
  // Of the workspaces only the last one offered is small enough.
  fake::FailDnn("cudnnGetConvolutionForwardWorkspaceSize", 2, kDnnNotSupported);
  ExpectRight(FormOfLines(++size));
  EXPECT_TRUE(fake::HasFailed());
}

TEST_F(ConvolutionFailuresTest, OtherFailuresOfAPlanAreErrorsAndItIsAskedForAgain) {
  int64_t size = 30;
  for (const char* const entry :
       {"cudnnCreateTensorDescriptor", "cudnnCreateFilterDescriptor",
        "cudnnCreateConvolutionDescriptor", "cudnnSetTensorNdDescriptor",
        "cudnnSetConvolutionMathType", "cudnnGetConvolutionForwardAlgorithm_v7",
        "cudnnGetConvolutionForwardWorkspaceSize", "cudnnSetStream"}) {
    const ConvolutionForm form = FormOfLines(++size);
    const int64_t descriptors = fake::CountDescriptors();
    fake::FailDnn(entry, 1, kDnnBadParam);
    EXPECT_THAT(MessageOf(form), AllOf(HasSubstr("[cuda] launching convolution failed: "
                                                 "CUDNN_STATUS_BAD_PARAM (2000 of cuDNN)"),
                                       HasSubstr("start the process anew")))
        << entry;
    if (std::string(entry) != "cudnnSetStream") {
      EXPECT_EQ(fake::CountDescriptors(), descriptors) << entry;
    }
    ExpectRight(form);
  }
}

TEST_F(ConvolutionFailuresTest, AnErrorSaysWhatToDo) {
  const ConvolutionForm form = FormOfLines(12);
  for (const auto& [status, advice] :
       {std::pair(kDnnDeviceAllocationFailed, "free tensors or use smaller ones"),
        {kDnnHostAllocationFailed, "free tensors or use smaller ones"},
        {kDnnVersionMismatch, "install all parts of one version of cuDNN"},
        {kDnnLoadingFailed, "install all parts of one version of cuDNN"},
        {kDnnExecutionFailed, "start the process anew"}}) {
    fake::FailDnn("cudnnConvolutionForward", 1, status);
    EXPECT_THAT(MessageOf(form), HasSubstr(advice));
  }
  // CUDA's own error says more.
  fake::FailCall("launch", 1, cudaErrorLaunchOutOfResources);
  EXPECT_THAT(MessageOf(form), HasSubstr("cudaErrorLaunchOutOfResources"));
  ExpectRight(form);
}

// A handle that is another thread's meanwhile is not used; here the first one is held.
TEST_F(ConvolutionFailuresTest, AThreadWithoutAHandleMakesOne) {
  const ConvolutionForm form = FormOfLines(13);
  ExpectRight(form);
  const Dnn& dnn = *FindDnn();
  const DnnLease held(dnn, 0, "a test");
  fake::FailDnn("cudnnCreate", 1, kDnnNotInitialized);
  EXPECT_THAT(MessageOf(form), AllOf(HasSubstr("preparing cuDNN for launching convolution failed: "
                                               "CUDNN_STATUS_NOT_INITIALIZED"),
                                     HasSubstr("install all parts of one version")));
  ExpectRight(form);
}

// The others are not deterministic, no sums, of other units, not supported or too large.
TEST_F(ConvolutionFailuresTest, OfTheOffersTheLastIsTaken) {
  const Dnn& dnn = *FindDnn();
  const DnnLease handle(dnn, 0, "a test");
  PlanKey key;
  key.shape.wide = key.shape.narrow = {2, 1, 1, 3};
  key.shape.weights = {1, 1, 1, 1};
  key.shape.stride = key.shape.dilation = {1, 1};
  for (const ConvolutionPart part :
       {ConvolutionPart::kNarrow, ConvolutionPart::kWide, ConvolutionPart::kWeights}) {
    key.part = part;
    const PlanPtr plan = PlanFor(dnn, handle.get(), key, "a test");
    EXPECT_EQ(plan->algorithm, 1);
    EXPECT_EQ(plan->workspace_bytes, fake::kDnnWorkspaceBytes);
  }
}

TEST_F(ConvolutionFailuresTest, PlansAreKeptUpToALimit) {
  const Dnn& dnn = *FindDnn();
  const DnnLease handle(dnn, 0, "a test");
  PlanKey key;
  key.shape.wide = key.shape.narrow = key.shape.weights = {1, 1, 1, 1};
  key.shape.stride = key.shape.dilation = {1, 1};
  const PlanPtr first = PlanFor(dnn, handle.get(), key, "a test");
  EXPECT_EQ(PlanFor(dnn, handle.get(), key, "a test"), first);
  const int64_t descriptors = fake::CountDescriptors();
  for (size_t i = 0; i < kMostPlans; ++i) {
    ++key.shape.wide[0];
    ++key.shape.narrow[0];
    EXPECT_EQ(PlanFor(dnn, handle.get(), key, "a test")->algorithm, first->algorithm);
  }
  EXPECT_LT(fake::CountDescriptors(), descriptors + 4 * static_cast<int64_t>(kMostPlans));
  key.shape.wide[0] = key.shape.narrow[0] = 1;
  EXPECT_NE(PlanFor(dnn, handle.get(), key, "a test"), first);
}

}  // namespace
}  // namespace twingrad::cuda
