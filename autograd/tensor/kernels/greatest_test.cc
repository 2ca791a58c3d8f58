// The greatest entries of windows of every kind: the first of equal ones, NaN before all.

#include "autograd/tensor/kernels/greatest.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "autograd/tensor/kernels/test_values.h"

namespace twingrad::kernels {
namespace {

const Windows kPairsOfThree = {BoxLine(3, {.kernel = 2, .padding = 1})};

TEST(Greatest, TheFirstOfTheGreatestOrTheFirstNan) {
  const Tensor a = Make<double>({2, 3}, {-2, -2, -1, kNan, 5, kNan});
  const GreatestEntries greatest = Greatest(a, kPairsOfThree);
  EXPECT_EQ(kernels::Elements<int64_t>(greatest.index), (Integers{0, 0, 2, 2, 0, 0, 2, 2}));
  const auto values = kernels::Elements<double>(greatest.values);
  EXPECT_EQ((Doubles{values[0], values[1], values[2], values[3]}), (Doubles{-2, -2, -1, -1}));
  EXPECT_TRUE(std::isnan(values[4]) && std::isnan(values[7]));
}

// Portions of unequal length, and boxes whose outer windows have lines outside.
TEST(Greatest, TheGreatestOfPlanes) {
  const Windows portions = {PortionLine(3, 2), PortionLine(5, 2)};
  const Tensor a = Make<float>({1, 3, 5}, {0, 1, 2, 3, 4, 14, 13, 12, 11, 10, 5, 9, 6, 8, 7});
  EXPECT_EQ(kernels::Elements<int64_t>(Greatest(a, portions).index), (Integers{5, 7, 5, 7}));
  const Windows boxes = {BoxLine(3, {.kernel = 2, .stride = 2, .padding = 1}),
                         BoxLine(5, {.kernel = 3, .stride = 2, .padding = 1})};
  EXPECT_EQ(kernels::Elements<float>(Greatest(a, boxes).values),
            (std::vector<float>{1, 3, 4, 14, 13, 11}));
}

TEST(Greatest, ResultsLieWhereTheOperandLies) {
  const Device there = Device::Sim(1);
  const GreatestEntries greatest =
      Greatest(Tensor::Zeros({1, 3}, DType::kF64, there), {BoxLine(3, {.kernel = 2})});
  EXPECT_EQ(greatest.values.device(), there);
  EXPECT_EQ(greatest.index.device(), there);
}

TEST(Greatest, OfNoPlanes) {
  const GreatestEntries none = Greatest(Make<double>({0, 3}, {}), kPairsOfThree);
  EXPECT_EQ(SizesOf(none.index), (Integers{0, 4}));
  EXPECT_EQ(SizesOf(none.values), (Integers{0, 4}));
}

}  // namespace
}  // namespace twingrad::kernels
