// Convolutions and pools against sums by hand: strides, padding, dilation, groups, one to three
// dimensions, derivatives up to the third, ties, and what is refused.

#include "autograd/ops/window.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/test_gradients.h"

namespace twingrad::ops {
namespace {

TEST(Window, Convolution) {
  const Tensor a = Leaf({1, 4}, {1, 2, 3, 4});
  const Tensor b = Leaf({1, 1, 2}, {10, 1});
  EXPECT_EQ(Elements(Convolution<1>(a, b, {}, {}, {}, 1)), (Doubles{12, 23, 34}));
  EXPECT_EQ(Elements(Convolution<1>(a, b, {2}, {1}, {}, 1)), (Doubles{1, 23, 40}));
  EXPECT_EQ(Elements(Convolution<1>(a, b, {}, {}, {3}, 1)), (Doubles{14}));
  EXPECT_EQ(Weighed(Convolution<1>(a, b, {}, {}, {}, 1), a), (Doubles{10, 21, 32, 3}));
  EXPECT_EQ(Weighed(Convolution<1>(a, b, {2}, {1}, {}, 1), b), (Doubles{16, 7}));
}

TEST(Window, ConvolutionOfGroups) {
  // Two samples of two channels; each group has one channel and two results.
  const Tensor a = Leaf({2, 2, 1}, {1, 2, 3, 4});
  const Tensor b = Leaf({4, 1, 1}, {1, 10, 100, 1000});
  const Tensor y = Convolution<1>(a, b, {}, {}, {}, 2);
  EXPECT_EQ(Elements(y), (Doubles{1, 10, 200, 2000, 3, 30, 400, 4000}));
  EXPECT_EQ(Weighed(y, b), (Doubles{1 * 1 + 5 * 3, 2 * 1 + 6 * 3, 3 * 2 + 7 * 4, 4 * 2 + 8 * 4}));
}

TEST(Window, ConvolutionOfPlanesAndBoxes) {
  const Tensor a = Leaf({1, 2, 2}, {1, 2, 3, 4});
  const Tensor b = Leaf({1, 1, 2, 2}, {1, 10, 100, 1000});
  EXPECT_EQ(Elements(Convolution<2>(a, b, {}, {}, {}, 1)), (Doubles{4321}));
  EXPECT_EQ(Elements(Convolution<2>(a, b, {}, {0, 1}, {}, 1)), (Doubles{3010, 4321, 402}));
  const Tensor c = Leaf({1, 1, 2, 2}, {1, 2, 3, 4});
  const Tensor d = Leaf({1, 1, 1, 2, 2}, {1, 10, 100, 1000});
  EXPECT_EQ(Elements(Convolution<3>(c, d, {}, {}, {}, 1)), (Doubles{4321}));
}

TEST(Window, ConvolutionOfNoSamples) {
  const Tensor a = Leaf({0, 1, 2}, {});
  const Tensor b = Leaf({1, 1, 2}, {1, 2});
  EXPECT_EQ(Convolution<1>(a, b, {}, {}, {}, 1).sizes(), (Shape{0, 1, 1}));
  EXPECT_EQ(Elements(Derive(Convolution<1>(a, b, {}, {}, {}, 1), {b})[0]), (Doubles{0, 0}));
}

// Of (a b)³ by each operand.
TEST(Window, DerivativesOfHigherOrder) {
  const auto cube = [](const Tensor& t) { return Mul(Mul(t, t), t); };
  const Tensor a = Leaf({1, 1}, {3}), b = Leaf({1, 1, 1}, {2});
  EXPECT_EQ(Derivative(cube(Convolution<1>(a, b, {}, {}, {}, 1)), a, 2), 6 * 3 * 8);
  EXPECT_EQ(Derivative(cube(Convolution<1>(a, b, {}, {}, {}, 1)), b, 3), 6 * 27);
  EXPECT_EQ(Derivative(cube(AvgPool<1>(a, {1}, {}, {})), a, 2), 18);
  EXPECT_EQ(Derivative(cube(MaxPool<1>(a, {1}, {}, {})), a, 3), 6);
}

TEST(Window, AvgPool) {
  const Tensor a = Leaf({1, 4}, {1, 2, 3, 4});
  EXPECT_EQ(Elements(AvgPool<1>(a, {2}, {}, {})), (Doubles{1.5, 3.5}));
  EXPECT_EQ(Elements(AvgPool<1>(a, {2}, {1}, {})), (Doubles{1.5, 2.5, 3.5}));
  EXPECT_EQ(Elements(AvgPool<1>(a, {2}, {2}, {1})), (Doubles{0.5, 2.5, 2}));
  EXPECT_EQ(Weighed(AvgPool<1>(a, {2}, {1}, {}), a), (Doubles{0.5, 1.5, 2.5, 1.5}));
  const Tensor plane = Leaf({1, 2, 2}, {1, 2, 3, 6});
  EXPECT_EQ(Elements(AvgPool<2>(plane, {2, 2}, {}, {})), (Doubles{3}));
  EXPECT_EQ(Elements(AvgPool<3>(Leaf({1, 1, 2, 2}, {1, 2, 3, 6}), {1, 2, 1}, {}, {})),
            (Doubles{2, 4}));
}

std::vector<int64_t> Integers(const Tensor& t) {
  return {t.data<int64_t>(), t.data<int64_t>() + t.numel()};
}

TEST(Window, MaxPool) {
  using Indices = std::vector<int64_t>;
  const Tensor a = Leaf({1, 4}, {3, 1, 3, 4});
  EXPECT_EQ(Elements(MaxPool<1>(a, {3}, {1}, {})), (Doubles{3, 4}));
  EXPECT_EQ(Integers(MaxPoolIndices<1>(a, {3}, {1}, {})), (Indices{0, 3}));
  EXPECT_EQ(Weighed(MaxPool<1>(a, {3}, {1}, {}), a), (Doubles{1, 0, 0, 2}));
  // The padding is not seen, even where all is below 0.
  const Tensor below = Leaf({2, 2}, {-1, -2, -4, -3});
  EXPECT_EQ(Elements(MaxPool<1>(below, {2}, {1}, {1})), (Doubles{-1, -1, -2, -4, -3, -3}));
  EXPECT_EQ(Integers(MaxPoolIndices<1>(below, {2}, {1}, {1})), (Indices{0, 0, 1, 0, 1, 1}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor holes = Leaf({1, 2, 2}, {1, nan, 2, nan});
  EXPECT_EQ(Integers(MaxPoolIndices<2>(holes, {2, 2}, {}, {})), (Indices{1}));
  EXPECT_EQ(Integers(MaxPoolIndices<3>(Leaf({1, 2, 1, 2}, {1, 2, 4, 3}), {2, 1, 2}, {}, {})),
            (Indices{2}));
}

TEST(Window, RefusesWhatDoesNotFit) {
  const Tensor a = Leaf({1, 4}, {3, 1, 3, 4});
  const Tensor b = Leaf({1, 1, 2}, {1, 2});
  EXPECT_EQ(KindOf([&] { Convolution<1>(a, b, {0}, {}, {}, 1); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Convolution<1>(a, b, {1, 1}, {}, {}, 1); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Convolution<1>(a, b, {}, {}, {4}, 1); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Convolution<1>(a, b, {}, {}, {}, 2); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Convolution<2>(a, b, {}, {}, {}, 1); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { MaxPool<1>(a, {5}, {}, {}); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { AvgPool<1>(a, {2}, {}, {2}); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { AvgPool<1>(a, {1, 1}, {}, {}); }), ErrorKind::kShape);
}

}  // namespace
}  // namespace twingrad::ops
