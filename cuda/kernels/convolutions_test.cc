// Convolutions and both of their gradients on CUDA give what they give on the host.
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/base/test_errors.h"
#include "autograd/tensor/kernels/convolve.h"
#include "autograd/tensor/kernels/copy.h"
#include "cuda/kernels/test_operands.h"
#include "gtest/gtest.h"

namespace twingrad::cuda {
namespace {

using namespace twingrad::kernels;

using ConvolutionsOnCudaTest = KernelsOnCudaTest;

// Of planes with these windows; no samples: there is no such dimension.
ConvolutionForm FormWith(const Windows& windows, int64_t samples, int64_t groups, int64_t depth,
                         int64_t results) {
  ConvolutionForm form{
      windows, groups, {groups * depth}, {groups * results, depth}, {groups * results}};
  if (samples > 0) {
    form.wide.insert(form.wide.begin(), samples);
    form.narrow.insert(form.narrow.begin(), samples);
  }
  for (const Line& line : windows) {
    form.wide.push_back(line.size);
    form.weights.push_back(line.entries);
    form.narrow.push_back(line.windows);
  }
  return form;
}

void ExpectSameOf(const ConvolutionForm& form, DType dtype) {
  const Tensor wide = Numbers(form.wide, dtype), weights = Numbers(form.weights, dtype),
               narrow = Numbers(form.narrow, dtype);
  ExpectSame(Convolve(form, There(wide), There(weights)), Convolve(form, wide, weights));
  ExpectSame(ConvolveBack(form, There(narrow), There(weights)),
             ConvolveBack(form, narrow, weights));
  ExpectSame(ConvolveWeights(form, There(wide), There(narrow)),
             ConvolveWeights(form, wide, narrow));
}

TEST_F(ConvolutionsOnCudaTest, OfOneToThreeDimensions) {
  const Line plain = BoxLine(6, {.kernel = 3}), padded = BoxLine(5, {.kernel = 3, .padding = 1});
  const Line apart = BoxLine(9, {.kernel = 2, .stride = 3, .padding = 1, .dilation = 2});
  const Line flat = BoxLine(1, {.kernel = 1});
  for (const Windows& windows :
       {Windows{plain}, Windows{apart}, Windows{padded, apart}, Windows{flat, padded},
        Windows{apart, padded, plain}, Windows{flat, flat, apart}}) {
    for (const DType dtype : kFloats) {
      ExpectSameOf(FormWith(windows, 2, 1, 3, 4), dtype);
      ExpectSameOf(FormWith(windows, 0, 2, 3, 2), dtype);
      ExpectSameOf(FormWith(windows, 3, 4, 1, 1), dtype);
    }
  }
}

TEST_F(ConvolutionsOnCudaTest, OfNarrowTypes) {
  const Windows windows = {BoxLine(4, {.kernel = 2}), BoxLine(5, {.kernel = 3, .padding = 1})};
  for (const DType dtype : {DType::kF16, DType::kBF16}) {
    ExpectSameOf(FormWith(windows, 2, 2, 1, 2), dtype);
  }
}

TEST_F(ConvolutionsOnCudaTest, OfNoSamples) {
  ConvolutionForm form = FormWith({BoxLine(4, {.kernel = 2})}, 1, 1, 1, 1);
  form.wide[0] = form.narrow[0] = 0;
  ExpectSameOf(form, DType::kF64);
}

// More than one block of threads, and sums of more than one step of any kernel.
TEST_F(ConvolutionsOnCudaTest, OfManyElements) {
  const Windows windows = {BoxLine(33, {.kernel = 3, .padding = 1}),
                           BoxLine(17, {.kernel = 3, .stride = 2, .padding = 1})};
  for (const DType dtype : kFloats) ExpectSameOf(FormWith(windows, 3, 1, 19, 5), dtype);
}

// 2049 has twelve digits, of which TF32 keeps eleven.
TEST_F(ConvolutionsOnCudaTest, KeepTheDigitsOfF32) {
  const ConvolutionForm form = FormWith({BoxLine(6, {.kernel = 3})}, 2, 1, 3, 4);
  const Tensor wide = Numbers(form.wide, DType::kF32, 2049),
               weights = Numbers(form.weights, DType::kF32),
               narrow = Numbers(form.narrow, DType::kF32, 2049);
  ExpectSame(Convolve(form, There(wide), There(weights)), Convolve(form, wide, weights));
  ExpectSame(ConvolveBack(form, There(narrow), There(weights)),
             ConvolveBack(form, narrow, weights));
  const Tensor small = Numbers(form.narrow, DType::kF32);
  ExpectSame(ConvolveWeights(form, There(wide), There(small)), ConvolveWeights(form, wide, small));
}

TEST_F(ConvolutionsOnCudaTest, OfOperandsThatLieAnyhow) {
  const ConvolutionForm form =
      FormWith({BoxLine(3, {.kernel = 1}), BoxLine(4, {.kernel = 2})}, 2, 1, 5, 1);
  const auto turned = [](const Tensor& a) { return a.AsStrided({2, 5, 3, 4}, {1, 24, 8, 2}, 0); };
  const Tensor wide = turned(Numbers({5, 3, 4, 2}, DType::kF64)),
               weights = Numbers(form.weights, DType::kF64),
               narrow = Numbers({1}, DType::kF64).AsStrided(form.narrow, {0, 0, 0, 0}, 0);
  ExpectSame(Convolve(form, There(wide), There(weights)), Convolve(form, wide, weights));
  ExpectSame(ConvolveBack(form, There(narrow), There(weights)),
             ConvolveBack(form, narrow, weights));
}

// Weights meet the zeros of the padding, but in the gradient by the operand no zeros where no
// window has an entry.
TEST_F(ConvolutionsOnCudaTest, InfiniteWeights) {
  const Windows windows = {BoxLine(4, {.kernel = 3, .stride = 2, .padding = 1})};
  const ConvolutionForm form = FormWith(windows, 1, 2, 1, 2);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const DType dtype : kFloats) {
    const Tensor weights =
        Cast(Tensor::FromData<double>(form.weights, {kInfinity, 1, 2, 1, 1, 1, 3, NAN, 1, 1, 1, 1}),
             dtype);
    const Tensor wide = Numbers(form.wide, dtype), narrow = Numbers(form.narrow, dtype);
    ExpectSame(Convolve(form, There(wide), There(weights)), Convolve(form, wide, weights));
    ExpectSame(ConvolveBack(form, There(narrow), There(weights)),
               ConvolveBack(form, narrow, weights));
  }
}

// Each with a handle of its own; they share the plans that they make at the same time.
TEST_F(ConvolutionsOnCudaTest, OfSeveralThreads) {
  const auto convolve = [] {
    for (int64_t size = 50; size < 60; ++size) {
      ExpectSameOf(FormWith({BoxLine(size, {.kernel = 3})}, 2, 1, 2, 3), DType::kF32);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(convolve);
  for (std::thread& thread : threads) thread.join();
}

TEST_F(ConvolutionsOnCudaTest, HaveTheSameBitsOnEveryRun) {
  const ConvolutionForm form = FormWith({BoxLine(40, {.kernel = 5})}, 8, 1, 16, 7);
  const Tensor wide = There(Numbers(form.wide, DType::kF32, 0.1)),
               narrow = There(Numbers(form.narrow, DType::kF32, 0.3));
  ExpectSame(ConvolveWeights(form, wide, narrow),
             CopyTo(ConvolveWeights(form, wide, narrow), Device::Cpu()));
}

}  // namespace
}  // namespace twingrad::cuda
