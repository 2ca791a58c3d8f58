#include "autograd/tensor/kernels/windows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "autograd/tensor/kernels/reduce.h"
#include "autograd/tensor/kernels/test_values.h"

namespace twingrad::kernels {
namespace {

const Windows kPairs = {BoxLine(3, {.kernel = 2, .padding = 1})};

TEST(Windows, UnfoldListsEntriesByWindow) {
  const Tensor a = Make<double>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor columns = Unfold(a, kPairs);
  EXPECT_EQ(SizesOf(columns), (Integers{2, 2, 4}));
  EXPECT_EQ(kernels::Elements<double>(columns),
            (Doubles{0, 1, 2, 3, 1, 2, 3, 0, 0, 4, 5, 6, 4, 5, 6, 0}));
  EXPECT_EQ(kernels::Elements<double>(
                Unfold(Transposed(Make<double>({3, 2}, {1, 4, 2, 5, 3, 6})), kPairs)),
            kernels::Elements<double>(columns));
}

TEST(Windows, FoldAddsWhatUnfoldRepeats) {
  const Tensor columns = Make<float>({1, 2, 4}, {1, 2, 3, 4, 10, 20, 30, 40});
  EXPECT_EQ(kernels::Elements<float>(Fold(columns, kPairs, {1, 3})),
            (std::vector<float>{12, 23, 34}));
}

TEST(Windows, PlanesWithStridesAndDilation) {
  const Windows w = {BoxLine(2, {.kernel = 2}),
                     BoxLine(3, {.kernel = 2, .stride = 2, .padding = 1, .dilation = 2})};
  const Tensor a = Make<double>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(EntriesOf(w), 4);
  EXPECT_EQ(CountsOf(w), (Shape{1, 2}));
  EXPECT_EQ(kernels::Elements<double>(Unfold(a, w)), (Doubles{0, 2, 2, 0, 0, 5, 5, 0}));
}

TEST(Windows, WeightsAreProductsOfThoseOfTheLines) {
  const Windows w = {LinearLine(2, 4, false), LinearLine(2, 3, true)};
  const Tensor like = Make<float>({}, {0});
  const Tensor weights = WeightsOf(w, like);
  EXPECT_EQ(SizesOf(weights), (Integers{4, 12}));
  const auto all = kernels::Elements<float>(weights);
  // Row 1 is a quarter of the way down, column 1 between the two.
  EXPECT_EQ((std::vector<float>{all[4], all[16], all[28], all[40]}),
            (std::vector<float>{0.375, 0.375, 0.125, 0.125}));
}

TEST(Windows, NumbersOfEntries) {
  const Windows w = {PortionLine(3, 2), PortionLine(2, 1)};
  EXPECT_EQ(kernels::Elements<double>(NumbersOfEntries(w, Make<double>({}, {0}))), (Doubles{4, 4}));
  EXPECT_EQ(kernels::Elements<double>(NumbersOfEntries({PortionLine(5, 3)}, Make<double>({}, {0}))),
            (Doubles{2, 3, 2}));
}

template <typename T>
void ExpectSumsOfUnfolded(const Windows& windows, int64_t planes) {
  Shape sizes = {planes};
  for (const Line& line : windows) sizes.push_back(line.size);
  std::vector<T> numbers(static_cast<size_t>(ElementCount(sizes)));
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = i % 7 == 3 ? T(-0.0) : static_cast<T>(std::sin(3.0 * static_cast<double>(i)));
  }
  const Tensor a = Tensor::FromData<T>(sizes, numbers);
  const Tensor sums = Sum(Unfold(a, windows), {1}, /*keepdim=*/false);
  const Tensor made = WindowSums(a, windows);
  EXPECT_EQ(SizesOf(made), SizesOf(sums));
  const auto got = kernels::Elements<T>(made), expected = kernels::Elements<T>(sums);
  ASSERT_EQ(got, expected);
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_EQ(std::signbit(got[i]), std::signbit(expected[i]));
}

// Boxes with strides and padding, rows below and above a vector, portions, and one window alone.
TEST(Windows, SumsHaveTheBitsOfUnfoldedOnes) {
  const Windows kinds[] = {
      kPairs,
      {BoxLine(4, {.kernel = 2, .stride = 2}), BoxLine(4, {.kernel = 2, .stride = 2})},
      {BoxLine(5, {.kernel = 3, .stride = 2, .padding = 1}),
       BoxLine(70, {.kernel = 2, .stride = 2, .padding = 1})},
      {BoxLine(3, {.kernel = 2}), BoxLine(40, {.kernel = 3, .padding = 1})},
      {BoxLine(2, {.kernel = 1}), BoxLine(60, {.kernel = 2, .stride = 3})},
      {PortionLine(7, 3), PortionLine(11, 4)},
      {BoxLine(3, {.kernel = 2, .padding = 1}), BoxLine(3, {.kernel = 2}),
       BoxLine(20, {.kernel = 2})},
      {BoxLine(31, {.kernel = 31})}};
  for (const Windows& windows : kinds) {
    for (const int64_t planes : {0, 1, 3}) {
      ExpectSumsOfUnfolded<float>(windows, planes);
      ExpectSumsOfUnfolded<double>(windows, planes);
    }
  }
}

TEST(Windows, SumsOfWindowsWithoutAKernel) {
  const Windows whole = {BoxLine(8, {.kernel = 8}), BoxLine(8, {.kernel = 8})};
  EXPECT_FALSE(WindowSums(Tensor::Ones({2, 8, 8}, DType::kF32), whole).defined());
  EXPECT_FALSE(WindowSums(Tensor::Ones({1, 3}, DType::kF16), kPairs).defined());
}

TEST(Windows, NoPlanes) {
  const Tensor none = Make<double>({0, 3}, {});
  EXPECT_EQ(SizesOf(Unfold(none, kPairs)), (Integers{0, 2, 4}));
}

}  // namespace
}  // namespace twingrad::kernels
