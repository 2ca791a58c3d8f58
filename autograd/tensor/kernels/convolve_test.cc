// Convolutions of the three tensors of a form, on the host: each is the adjoint of the others, what
// is computed is a sum by hand, and what oneDNN makes is what the plain sums make.

#include "autograd/tensor/kernels/convolve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/base/test_errors.h"
#include "autograd/tensor/kernels/arithmetic.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/elementary.h"
#include "autograd/tensor/kernels/processor/loops.h"
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

// Random forms that oneDNN may take, in f32.
class Forms {
 public:
  explicit Forms(unsigned seed) : random_(seed) {}

  ConvolutionForm Next() {
    const int64_t samples = Draw(1, 4), groups = Draw(1, 3), depth = Draw(1, 6);
    const int64_t results = Draw(4, 20), dims = Draw(1, 3);
    ConvolutionForm form;
    form.groups = groups;
    form.wide = {samples, groups * depth};
    form.weights = {groups * results, depth};
    form.narrow = {samples, groups * results};
    for (int64_t d = 0; d < dims; ++d) {
      const Box box{.kernel = Draw(1, 3),
                    .stride = Draw(1, 3),
                    .padding = Draw(0, 2),
                    .dilation = Draw(1, 2)};
      const int64_t extent = (box.kernel - 1) * box.dilation + 1;
      const int64_t size = Draw(extent, dims == 1 ? 600 : dims == 2 ? 40 : 14);
      form.windows.push_back(BoxLine(size, box));
      form.wide.push_back(size);
      form.weights.push_back(box.kernel);
      form.narrow.push_back(form.windows.back().windows);
    }
    return form;
  }
  // Whole numbers from -3 to 3, or any in [-1, 1).
  Tensor Fill(Ints sizes, bool whole) {
    std::vector<float> numbers(static_cast<size_t>(ElementCount(sizes)));
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (float& number : numbers) {
      number = whole ? static_cast<float>(Draw(-3, 3)) : uniform(random_);
    }
    return Tensor::FromData<float>(sizes, numbers);
  }

 private:
  int64_t Draw(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random_);
  }
  std::mt19937 random_;
};

struct Three {
  Tensor narrow, wide, weights;
};
Three Convolved(const ConvolutionForm& form, const Three& of) {
  return {Convolve(form, of.wide, of.weights), ConvolveBack(form, of.narrow, of.weights),
          ConvolveWeights(form, of.wide, of.narrow)};
}
Three ConvolvedPlainly(const ConvolutionForm& form, const Three& of) {
  processor::Use(processor::Kernels::kPlain);
  const Three plain = Convolved(form, of);
  processor::Use(processor::Kernels::kBest);
  return plain;
}
std::vector<float> FloatsOf(const Tensor& a) { return kernels::Elements<float>(a); }

TEST(Convolve, OfWholeNumbersThePlainBits) {
  Forms forms(1);
  int large = 0;
  for (int i = 0; i < 200; ++i) {
    const ConvolutionForm form = forms.Next();
    const Three of{forms.Fill(form.narrow, true), forms.Fill(form.wide, true),
                   forms.Fill(form.weights, true)};
    large += form.weights[1] * ElementCount(form.narrow) * EntriesOf(form.windows) >=
             kConvolutionVectorSize;
    const Three made = Convolved(form, of), plain = ConvolvedPlainly(form, of);
    EXPECT_EQ(FloatsOf(made.narrow), FloatsOf(plain.narrow)) << "form " << i;
    EXPECT_EQ(FloatsOf(made.wide), FloatsOf(plain.wide)) << "form " << i;
    EXPECT_EQ(FloatsOf(made.weights), FloatsOf(plain.weights)) << "form " << i;
  }
  EXPECT_GT(large, 50);
}

TEST(Convolve, ResultsLieWhereTheOperandsLie) {
  const ConvolutionForm form = {{BoxLine(40, {.kernel = 3}), BoxLine(40, {.kernel = 3})},
                                1,
                                {1, 8, 40, 40},
                                {8, 8, 3, 3},
                                {1, 8, 38, 38}};
  const Device there = Device::Sim(1);
  const auto zeros = [&](Ints sizes) { return Tensor::Zeros(sizes, DType::kF32, there); };
  const Three made = Convolved(form, {zeros(form.narrow), zeros(form.wide), zeros(form.weights)});
  EXPECT_EQ(made.narrow.device(), there);
  EXPECT_EQ(made.wide.device(), there);
  EXPECT_EQ(made.weights.device(), there);
}

// Of a sum of n products each order is off by no more than n units of f32 in the sum of their
// magnitudes (N. Higham, "Accuracy and Stability of Numerical Algorithms", 2002, (3.5)).
TEST(Convolve, IsAsGoodAsASumInAnyOrder) {
  Forms forms(2);
  const auto expect_near = [](const Tensor& made, const Tensor& exact, const Tensor& magnitudes,
                              int64_t terms) {
    const auto x = FloatsOf(made);
    const auto y = kernels::Elements<double>(exact), size = kernels::Elements<double>(magnitudes);
    for (size_t k = 0; k < x.size(); ++k) {
      const double bound = static_cast<double>(terms) * 0x1p-24 * 1.01 * size[k];
      ASSERT_LE(std::fabs(x[k] - y[k]), bound) << "element " << k << " of " << terms << " terms";
    }
  };
  for (int i = 0; i < 50; ++i) {
    const ConvolutionForm form = forms.Next();
    const Three of{forms.Fill(form.narrow, false), forms.Fill(form.wide, false),
                   forms.Fill(form.weights, false)};
    const auto wide = [](const Tensor& a) { return Cast(a, DType::kF64); };
    const auto magnitude = [&](const Tensor& a) { return Each<AbsNumber>(wide(a)); };
    const Three exact = Convolved(form, {wide(of.narrow), wide(of.wide), wide(of.weights)});
    const Three magnitudes =
        Convolved(form, {magnitude(of.narrow), magnitude(of.wide), magnitude(of.weights)});
    const Three made = Convolved(form, of);
    const int64_t entries = EntriesOf(form.windows), results = form.weights[0] / form.groups;
    expect_near(made.narrow, exact.narrow, magnitudes.narrow, entries * form.weights[1]);
    expect_near(made.wide, exact.wide, magnitudes.wide, entries * results);
    expect_near(made.weights, exact.weights, magnitudes.weights,
                ElementCount(form.narrow) / form.weights[0]);
  }
}

// What has no number has none where the plain sum has none: a weight that only the padding meets, a
// place, a gradient.
TEST(Convolve, WhatIsNotFiniteStaysWhereItIs) {
  const ConvolutionForm form = {
      {BoxLine(9, {.kernel = 3, .padding = 1}), BoxLine(9, {.kernel = 3, .padding = 4})},
      1,
      {4, 3, 9, 9},
      {8, 3, 3, 3},
      {4, 8, 9, 15}};
  Forms forms(3);
  for (const float odd : {INFINITY, -INFINITY, NAN}) {
    for (int which = 0; which < 3; ++which) {
      Three of{forms.Fill(form.narrow, true), forms.Fill(form.wide, true),
               forms.Fill(form.weights, true)};
      Tensor* const all[] = {&of.narrow, &of.wide, &of.weights};
      *all[which]->mutable_data<float>() = odd;  // of `narrow` it lies in the padding
      const Three made = Convolved(form, of), plain = ConvolvedPlainly(form, of);
      const auto same = [](const Tensor& a, const Tensor& b) {
        const auto x = FloatsOf(a), y = FloatsOf(b);
        return std::equal(x.begin(), x.end(), y.begin(), [](float p, float q) {
          return p == q || (std::isnan(p) && std::isnan(q));
        });
      };
      EXPECT_TRUE(same(made.narrow, plain.narrow)) << which << " is " << odd;
      EXPECT_TRUE(same(made.wide, plain.wide)) << which << " is " << odd;
      EXPECT_TRUE(same(made.weights, plain.weights)) << which << " is " << odd;
    }
  }
}

}  // namespace
}  // namespace twingrad::kernels
