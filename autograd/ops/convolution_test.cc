// Convolutions against sums by hand: strides, padding, dilation, groups, one to three dimensions,
// derivatives up to the third, and what is refused.

#include "autograd/ops/convolution.h"

#include <gtest/gtest.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/test_gradients.h"

namespace twingrad::ops {
namespace {

TEST(Convolution, OfLines) {
  const Tensor a = Leaf({1, 4}, {1, 2, 3, 4});
  const Tensor b = Leaf({1, 1, 2}, {10, 1});
  EXPECT_EQ(Elements(Convolution<1>(a, b, {}, {}, {}, 1)), (Doubles{12, 23, 34}));
  EXPECT_EQ(Elements(Convolution<1>(a, b, {2}, {1}, {}, 1)), (Doubles{1, 23, 40}));
  EXPECT_EQ(Elements(Convolution<1>(a, b, {}, {}, {3}, 1)), (Doubles{14}));
  EXPECT_EQ(Weighed(Convolution<1>(a, b, {}, {}, {}, 1), a), (Doubles{10, 21, 32, 3}));
  EXPECT_EQ(Weighed(Convolution<1>(a, b, {2}, {1}, {}, 1), b), (Doubles{16, 7}));
}

TEST(Convolution, ConvolutionOfGroups) {
  // Two samples of two channels; each group has one channel and two results.
  const Tensor a = Leaf({2, 2, 1}, {1, 2, 3, 4});
  const Tensor b = Leaf({4, 1, 1}, {1, 10, 100, 1000});
  const Tensor y = Convolution<1>(a, b, {}, {}, {}, 2);
  EXPECT_EQ(Elements(y), (Doubles{1, 10, 200, 2000, 3, 30, 400, 4000}));
  EXPECT_EQ(Weighed(y, b), (Doubles{1 * 1 + 5 * 3, 2 * 1 + 6 * 3, 3 * 2 + 7 * 4, 4 * 2 + 8 * 4}));
}

TEST(Convolution, ConvolutionOfPlanesAndBoxes) {
  const Tensor a = Leaf({1, 2, 2}, {1, 2, 3, 4});
  const Tensor b = Leaf({1, 1, 2, 2}, {1, 10, 100, 1000});
  EXPECT_EQ(Elements(Convolution<2>(a, b, {}, {}, {}, 1)), (Doubles{4321}));
  EXPECT_EQ(Elements(Convolution<2>(a, b, {}, {0, 1}, {}, 1)), (Doubles{3010, 4321, 402}));
  const Tensor c = Leaf({1, 1, 2, 2}, {1, 2, 3, 4});
  const Tensor d = Leaf({1, 1, 1, 2, 2}, {1, 10, 100, 1000});
  EXPECT_EQ(Elements(Convolution<3>(c, d, {}, {}, {}, 1)), (Doubles{4321}));
}

TEST(Convolution, ConvolutionOfNoSamples) {
  const Tensor a = Leaf({0, 1, 2}, {});
  const Tensor b = Leaf({1, 1, 2}, {1, 2});
  EXPECT_EQ(Convolution<1>(a, b, {}, {}, {}, 1).sizes(), (Shape{0, 1, 1}));
  EXPECT_EQ(Elements(Derive(Convolution<1>(a, b, {}, {}, {}, 1), {b})[0]), (Doubles{0, 0}));
}

// Of (a b)³ by each operand.
TEST(Convolution, DerivativesOfHigherOrder) {
  const auto cube = [](const Tensor& t) { return Mul(Mul(t, t), t); };
  const Tensor a = Leaf({1, 1}, {3}), b = Leaf({1, 1, 1}, {2});
  EXPECT_EQ(Derivative(cube(Convolution<1>(a, b, {}, {}, {}, 1)), a, 2), 6 * 3 * 8);
  EXPECT_EQ(Derivative(cube(Convolution<1>(a, b, {}, {}, {}, 1)), b, 3), 6 * 27);
}

// The adjoint of a convolution: its gradient by the operand, as a function of its own.
TEST(Convolution, TransposedConvolution) {
  const Tensor a = Leaf({1, 2}, {1, 2}), b = Leaf({1, 1, 3}, {1, 10, 100});
  const auto transposed = [&](Ints stride, Ints padding, Ints dilation, Ints more) {
    return TransposedConvolution<1>(a, b, stride, padding, dilation, 1, more);
  };
  EXPECT_EQ(Elements(transposed({}, {}, {}, {})), (Doubles{1, 12, 120, 200}));
  EXPECT_EQ(Elements(transposed({2}, {1}, {}, {1})), (Doubles{10, 102, 20, 200}));
  EXPECT_EQ(Elements(transposed({}, {}, {2}, {})), (Doubles{1, 2, 10, 20, 100, 200}));
  EXPECT_EQ(Weighed(transposed({}, {}, {}, {}), a), (Doubles{321, 432}));
  EXPECT_EQ(Weighed(transposed({}, {}, {}, {}), b), (Doubles{5, 8, 11}));
  const Tensor c = Leaf({2, 1, 1, 1}, {1, 2}), d = Leaf({2, 1, 1, 1, 2}, {1, 10, 100, 1000});
  EXPECT_EQ(Elements(TransposedConvolution<3>(c, d, {}, {}, {}, 2, {})),
            (Doubles{1, 10, 200, 2000}));
  const auto cube = [](const Tensor& t) { return Mul(Mul(t, t), t); };
  const Tensor e = Leaf({1, 1, 1}, {3}), f = Leaf({1, 1, 1, 1}, {2});
  EXPECT_EQ(Derivative(cube(TransposedConvolution<2>(e, f, {}, {}, {}, 1, {})), e, 2), 6 * 3 * 8);
  EXPECT_EQ(Derivative(cube(TransposedConvolution<2>(e, f, {}, {}, {}, 1, {})), f, 3), 6 * 27);
}

TEST(Convolution, RefusesWhatDoesNotFit) {
  const Tensor a = Leaf({1, 4}, {3, 1, 3, 4});
  const Tensor b = Leaf({1, 1, 2}, {1, 2});
  EXPECT_EQ(KindOf([&] { Convolution<1>(a, b, {0}, {}, {}, 1); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Convolution<1>(a, b, {1, 1}, {}, {}, 1); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Convolution<1>(a, b, {}, {}, {4}, 1); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Convolution<1>(a, b, {}, {}, {}, 2); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Convolution<2>(a, b, {}, {}, {}, 1); }), ErrorKind::kShape);
  const auto more = [&](Ints stride, Ints padding, Ints output_padding) {
    return KindOf([&] { TransposedConvolution<1>(a, b, stride, padding, {}, 1, output_padding); });
  };
  EXPECT_EQ(more({}, {}, {1}), ErrorKind::kShape);
  EXPECT_EQ(more({}, {3}, {}), ErrorKind::kShape);
}

}  // namespace
}  // namespace twingrad::ops
