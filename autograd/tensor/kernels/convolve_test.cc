// Convolutions of the three tensors of a form, on the host: each is the adjoint of the others, and
// what is computed is a sum by hand.

#include "autograd/tensor/kernels/convolve.h"

#include <gtest/gtest.h>

#include <vector>

#include "autograd/base/error.h"
#include "autograd/base/test_errors.h"
#include "autograd/tensor/kernels/arithmetic.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/reduce.h"
#include "autograd/tensor/kernels/test_values.h"

namespace twingrad::kernels {
namespace {

Tensor Counted(Ints sizes, double first) {
  std::vector<double> numbers(static_cast<size_t>(ElementCount(sizes)));
  for (double& number : numbers) number = first++;
  return Tensor::FromData<double>(sizes, numbers);
}

double Along(const Tensor& a, const Tensor& b) {
  return kernels::Elements<double>(SumAll(Mul(a, b), false))[0];
}

// Two samples of two groups of two channels; planes of two dimensions.
ConvolutionForm PlanesForm() {
  return {{BoxLine(4, {.kernel = 2, .stride = 2, .padding = 1}),
           BoxLine(5, {.kernel = 3, .dilation = 2})},
          2,
          {2, 4, 4, 5},
          {6, 2, 2, 3},
          {2, 6, 3, 1}};
}

TEST(Convolve, IsASumOfProducts) {
  const ConvolutionForm form = {{BoxLine(4, {.kernel = 2})}, 1, {1, 4}, {1, 1, 2}, {1, 3}};
  const Tensor wide = Make<double>({1, 4}, {1, 2, 3, 4}),
               weights = Make<double>({1, 1, 2}, {10, 1});
  const Tensor narrow = Make<double>({1, 3}, {1, 2, 3});
  EXPECT_EQ(kernels::Elements<double>(Convolve(form, wide, weights)), (Doubles{12, 23, 34}));
  EXPECT_EQ(kernels::Elements<double>(ConvolveBack(form, narrow, weights)),
            (Doubles{10, 21, 32, 3}));
  EXPECT_EQ(kernels::Elements<double>(ConvolveWeights(form, wide, narrow)), (Doubles{14, 20}));
}

TEST(Convolve, TheThreeAreOneForm) {
  const ConvolutionForm form = PlanesForm();
  const Tensor wide = Counted(form.wide, -20), weights = Counted(form.weights, -30),
               narrow = Counted(form.narrow, 1);
  const double sum = Along(narrow, Convolve(form, wide, weights));
  EXPECT_NE(sum, 0);
  EXPECT_EQ(Along(wide, ConvolveBack(form, narrow, weights)), sum);
  EXPECT_EQ(Along(weights, ConvolveWeights(form, wide, narrow)), sum);
}

TEST(Convolve, OperandsMayLieAnyhow) {
  const ConvolutionForm form = {{BoxLine(2, {.kernel = 1})}, 1, {3, 2, 2}, {2, 2, 1}, {3, 2, 2}};
  const Tensor wide = Counted({2, 2, 3}, 1).AsStrided({3, 2, 2}, {1, 6, 3}, 0);
  const Tensor weights =
      Make<double>({2, 2}, {1, 10, 100, 1000}).AsStrided({2, 2, 1}, {1, 2, 1}, 0);
  EXPECT_EQ(kernels::Elements<double>(Convolve(form, wide, weights)),
            (Doubles{701, 1004, 7010, 10040, 802, 1105, 8020, 11050, 903, 1206, 9030, 12060}));
}

// In f16 alone 2048 + 1 is 2048.
TEST(Convolve, NarrowTypesAreRoundedOnce) {
  const auto of_f16 = [](const Tensor& a) { return Cast(a, DType::kF16); };
  const auto elements = [](const Tensor& a) {
    EXPECT_EQ(a.dtype(), DType::kF16);
    return kernels::Elements<double>(Cast(a, DType::kF64));
  };
  const ConvolutionForm form = {{BoxLine(1, {.kernel = 1})}, 1, {3, 1}, {1, 3, 1}, {1, 1}};
  const Tensor wide = of_f16(Make<double>({3, 1}, {2048, 1, 1}));
  const Tensor ones = of_f16(Make<double>({1, 3, 1}, {1, 1, 1}));
  EXPECT_EQ(elements(Convolve(form, wide, ones)), (Doubles{2050}));
  const ConvolutionForm line = {
      {BoxLine(3, {.kernel = 3, .padding = 2})}, 1, {1, 3}, {1, 1, 3}, {1, 5}};
  const Tensor terms = of_f16(Make<double>({1, 5}, {1, 1, 2048, 1, 1}));
  const Tensor weights = of_f16(Make<double>({1, 1, 3}, {1, 1, 1}));
  EXPECT_EQ(elements(ConvolveBack(line, terms, weights)), (Doubles{2050, 2050, 2050}));
  const Tensor three = of_f16(Make<double>({1, 3}, {1, 1, 1}));
  EXPECT_EQ(elements(ConvolveWeights(line, three, terms)), (Doubles{2050, 2050, 2050}));
}

TEST(Convolve, RefusesOtherShapes) {
  const ConvolutionForm form = PlanesForm();
  const Tensor wide = Counted(form.wide, 0), weights = Counted(form.weights, 0),
               narrow = Counted(form.narrow, 0);
  EXPECT_EQ(KindOf([&] { Convolve(form, narrow, weights); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Convolve(form, wide, wide); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { ConvolveBack(form, wide, weights); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { ConvolveWeights(form, wide, wide); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Convolve(form, wide, Cast(weights, DType::kF32)); }), ErrorKind::kDType);
}

}  // namespace
}  // namespace twingrad::kernels
