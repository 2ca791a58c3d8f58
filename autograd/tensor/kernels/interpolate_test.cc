// Sums of weighed entries in one pass have the bits of those in three, for each kind of Line and
// one to three dimensions, and so has the adjoint.

#include "autograd/tensor/kernels/interpolate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "autograd/tensor/kernels/arithmetic.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/reduce.h"
#include "autograd/tensor/kernels/test_values.h"
#include "autograd/tensor/kernels/windows.h"

namespace twingrad::kernels {
namespace {

const Windows kKinds[] = {
    {NearestLine(3, 7)},
    {LinearLine(5, 3, false)},
    {CubicLine(4, 6, true)},
    {LinearLine(3, 5, true), LinearLine(4, 2, false)},
    {CubicLine(2, 3, false), CubicLine(3, 4, false)},
    {NearestLine(3, 2), NearestLine(2, 4)},
    {LinearLine(2, 3, false), LinearLine(1, 2, false), LinearLine(3, 2, true)},
    // Long rows.
    {NearestLine(9, 40)},
    {NearestLine(33, 17)},
    {NearestLine(66, 17)},
    {LinearLine(70, 100, false)},
    {LinearLine(2, 4, false), LinearLine(64, 128, false)},
    {LinearLine(40, 21, true)},
    {NearestLine(5, 10), NearestLine(40, 80)},
    {LinearLine(4, 8, false), LinearLine(35, 70, false)},
    {LinearLine(7, 3, true), LinearLine(18, 100, true)},
    {CubicLine(5, 9, false), CubicLine(16, 37, false)},
    {LinearLine(3, 4, false), LinearLine(4, 7, true), LinearLine(17, 33, false)},
    {LinearLine(1, 2, false), LinearLine(1, 50, false)}};

template <typename T>
Tensor Waves(Ints sizes) {
  std::vector<T> numbers(static_cast<size_t>(ElementCount(sizes)));
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<T>(std::sin(3.0 * static_cast<double>(i)));
  }
  if (!numbers.empty()) numbers[0] = T(-0.0);
  return Tensor::FromData<T>(sizes, numbers);
}

template <typename T>
class InterpolateTest : public testing::Test {};
using FloatTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(InterpolateTest, FloatTypes);

TYPED_TEST(InterpolateTest, HasTheBitsOfThreePasses) {
  using T = TypeParam;
  for (const Windows& windows : kKinds) {
    for (const int64_t planes : {0, 1, 3, 16, 70}) {
      Shape sizes = {planes};
      for (const Line& line : windows) sizes.push_back(line.size);
      const Tensor a = Waves<T>(sizes), weights = WeightsOf(windows, a);
      const Tensor sums = Sum(Mul(Unfold(a, windows), weights), {1}, /*keepdim=*/false);
      const Tensor made = Interpolate(a, windows);
      EXPECT_EQ(SizesOf(made), SizesOf(sums));
      EXPECT_EQ(kernels::Elements<T>(made), kernels::Elements<T>(sums));

      const Tensor terms = Waves<T>(sums.sizes());
      const Tensor each =
          terms.AsStrided({planes, 1, sums.sizes()[1]}, {sums.sizes()[1], sums.sizes()[1], 1}, 0);
      const Tensor back = Fold(Mul(each, weights), windows, sizes);
      EXPECT_EQ(kernels::Elements<T>(InterpolateBack(terms, windows, sizes)),
                kernels::Elements<T>(back));
    }
  }
}

TEST(Interpolate, OperandsMayLieAnyhow) {
  const Tensor a = Make<double>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Windows windows = {NearestLine(2, 2)};
  EXPECT_EQ(kernels::Elements<double>(Interpolate(Transposed(a), windows)),
            (Doubles{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(kernels::Elements<double>(InterpolateBack(Transposed(a), windows, {3, 2})),
            (Doubles{1, 4, 2, 5, 3, 6}));
}

TEST(Interpolate, IsUndefinedWhereThereIsNoKernel) {
  const Tensor narrow = Tensor::Ones({1, 2}, DType::kF16);
  EXPECT_FALSE(Interpolate(narrow, {NearestLine(2, 2)}).defined());
  EXPECT_FALSE(InterpolateBack(narrow, {NearestLine(2, 2)}, {1, 2}).defined());
}

}  // namespace
}  // namespace twingrad::kernels
