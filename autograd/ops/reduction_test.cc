#include "autograd/ops/reduction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "autograd/base/error.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/test_gradients.h"

namespace twingrad::ops {
namespace {

TEST(Reduction, Sums) {
  const Tensor a = Leaf({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Elements(Sum(a, {}, false)), (Doubles{21}));
  EXPECT_EQ(Elements(Sum(a, {0}, false)), (Doubles{5, 7, 9}));
  EXPECT_EQ(Sum(a, {1}, true).sizes(), (Ints({2, 1})));
  const Tensor weighed = Mul(Sum(a, {1}, false), Values({2}, {10, 20}));
  EXPECT_EQ(Elements(Derive(weighed, {a})[0]), (Doubles{10, 10, 10, 20, 20, 20}));
}

TEST(Reduction, Means) {
  const Tensor a = Leaf({2, 2}, {1, 3, 5, 7});
  EXPECT_EQ(Elements(Mean(a, {}, false)), (Doubles{4}));
  EXPECT_EQ(Elements(Mean(a, {1}, false)), (Doubles{2, 6}));
  EXPECT_EQ(Elements(Derive(Mean(a, {}, true), {a})[0]), (Doubles{0.25, 0.25, 0.25, 0.25}));
  EXPECT_EQ(Elements(Derive(Mean(a, {0}, false), {a})[0]), (Doubles{0.5, 0.5, 0.5, 0.5}));
}

TEST(Reduction, OfNothing) {
  const Tensor a = Leaf({0, 2}, {});
  EXPECT_EQ(Elements(Sum(a, {}, false)), (Doubles{0}));
  EXPECT_TRUE(std::isnan(Elements(Mean(a, {}, false))[0]));
  const Tensor gradient = Derive(Sum(a, {0}, false), {a})[0];
  EXPECT_EQ(gradient.sizes(), a.sizes());
}

TEST(Reduction, SecondDerivative) {
  const Tensor a = Leaf({2}, {3, 4});
  const Tensor total = Sum(a, {}, false);
  const Tensor first = Derive(Mul(total, total), {a}, true)[0];  // 2 (a0 + a1) each
  EXPECT_EQ(Elements(first), (Doubles{14, 14}));
  EXPECT_EQ(Elements(Derive(first, {a})[0]), (Doubles{4, 4}));
}

TEST(Reduction, Var) {
  const Tensor a = Leaf({2, 2}, {1, 3, 5, 5});
  EXPECT_EQ(Elements(Var(a, {1}, false)), (Doubles{1, 0}));
  const Tensor first = Derive(Var(a, {1}, true), {a}, true)[0];  // a - mean
  EXPECT_EQ(Elements(first), (Doubles{-1, 1, 0, 0}));
  const Tensor one = Mul(first, Values({2, 2}, {1, 0, 0, 0}));
  EXPECT_EQ(Elements(Derive(one, {a})[0]), (Doubles{0.5, -0.5, 0, 0}));
  EXPECT_TRUE(std::isnan(Elements(Var(Values({0}, {}), {}, false))[0]));
}

TEST(Reduction, Std) {
  const Tensor a = Leaf({1, 4}, {1, 1, -1, -1});
  EXPECT_EQ(Elements(Std(a, {1}, false)), Doubles{1});
  const Tensor first = Derive(Std(a, {}, false), {a}, true)[0];  // (a - mean) / 4
  EXPECT_EQ(Elements(first), (Doubles{0.25, 0.25, -0.25, -0.25}));
  const Tensor one = Mul(first, Values({1, 4}, {1, 0, 0, 0}));
  EXPECT_EQ(Elements(Derive(one, {a})[0]), (Doubles{0.125, -0.125, 0, 0}));
  // By the result too, from which it is made: -(a - mean) / 4.
  const Tensor result = Std(a, {}, false);
  const Tensor gradient = Mul(Derive(result, {a}, true)[0], Values({1, 4}, {1, 2, 0, 0}));
  EXPECT_EQ(Elements(Derive(gradient, {result})[0]), Doubles{-0.75});
  EXPECT_TRUE(std::isnan(Elements(Std(Values({0}, {}), {}, false))[0]));
  EXPECT_EQ(Elements(Std(Values({2, 0}, {}), {0}, false)), Doubles{});
}

TEST(Reduction, Norm) {
  const Tensor a = Leaf({2, 2}, {3, 4, 0, -2});
  EXPECT_EQ(Elements(Norm(a, {1}, true)), (Doubles{5, 2}));
  EXPECT_EQ(Elements(Norm(Values({0}, {}), {}, false)), Doubles{0});
  const Tensor ones = Leaf({4}, {1, 1, 1, 1});
  const Tensor first = Derive(Norm(ones, {}, false), {ones}, true)[0];
  EXPECT_EQ(Elements(first), (Doubles{0.5, 0.5, 0.5, 0.5}));
  const Tensor one = Mul(first, Values({4}, {1, 0, 0, 0}));
  EXPECT_EQ(Elements(Derive(one, {ones})[0]), (Doubles{0.375, -0.125, -0.125, -0.125}));
}

// Rules: S9. A sum of equal numbers by their count need not be that number.
// Rules: S9.
TEST(Fold, NormsOfZerosAreFlat) {
  const Tensor zeros = Leaf({2, 2}, {0, 0, 0, 2});
  EXPECT_EQ(Elements(Derive(Norm(zeros, {1}, false), {zeros})[0]), (Doubles{0, 0, 0, 1}));
  const Tensor equal = Leaf({3}, {0.1, 0.1, 0.1});
  EXPECT_EQ(Elements(Std(equal, {}, false)), Doubles{0});
  EXPECT_EQ(Elements(Derive(Std(equal, {}, false), {equal})[0]), (Doubles{0, 0, 0}));
}

// Rules: S8.
TEST(Fold, ProductsAreRightAtZeros) {
  const Tensor a = Leaf({2, 3}, {2, 3, 4, 0, 3, 4});
  EXPECT_EQ(Elements(Prod(a, {1}, false)), (Doubles{24, 0}));
  EXPECT_EQ(Elements(Derive(Prod(a, {1}, true), {a})[0]), (Doubles{12, 8, 6, 12, 0, 0}));
  EXPECT_EQ(Elements(Prod(a, {0}, false)), (Doubles{0, 9, 16}));
  EXPECT_EQ(Elements(Derive(Prod(a, {0}, false), {a})[0]), (Doubles{0, 3, 4, 2, 3, 4}));
  const Tensor zeros = Leaf({3}, {0, 0, 5});
  const Tensor first = Derive(Prod(zeros, {}, false), {zeros}, true)[0];
  EXPECT_EQ(Elements(first), (Doubles{0, 0, 0}));
  EXPECT_EQ(Elements(Derive(first, {zeros})[0]), (Doubles{5, 5, 0}));
}

// Rules: S8.
TEST(Fold, HigherDerivativesOfProducts) {
  const Tensor a = Leaf({3}, {2, 3, 5});
  const Tensor first = Derive(Prod(a, {}, false), {a}, true)[0];
  EXPECT_EQ(Elements(first), (Doubles{15, 10, 6}));
  const Tensor second = Derive(first, {a}, true)[0];  // sum over j of what is left without i and j
  EXPECT_EQ(Elements(second), (Doubles{8, 7, 5}));
  EXPECT_EQ(Elements(Derive(second, {a})[0]), (Doubles{2, 2, 2}));
}

TEST(Fold, ProductOfNothing) {
  const Tensor a = Leaf({2, 0}, {});
  EXPECT_EQ(Elements(Prod(a, {1}, false)), (Doubles{1, 1}));
  EXPECT_EQ(Derive(Prod(a, {}, false), {a})[0].sizes(), a.sizes());
  const Tensor scalar = Leaf({}, {3});
  EXPECT_EQ(Elements(Derive(Prod(scalar, {}, false), {scalar})[0]), (Doubles{1}));
}

// Rules: S3.
TEST(Fold, ExtremesShareTies) {
  const Tensor a = Leaf({2, 3}, {1, 4, 4, 7, 7, 7});
  EXPECT_EQ(Elements(Amax(a, {1}, false)), (Doubles{4, 7}));
  const auto g = Elements(Derive(Amax(a, {1}, false), {a})[0]);
  EXPECT_EQ(g, (Doubles{0, 0.5, 0.5, 1.0 / 3, 1.0 / 3, 1.0 / 3}));
  EXPECT_EQ(Elements(Derive(Amin(a, {}, true), {a})[0]), (Doubles{1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(Elements(Amin(a, {0}, false)), (Doubles{1, 4, 4}));
  const Tensor i = Tensor::FromData<int64_t>({2}, {3, -9});
  EXPECT_EQ(Elements(Amax(i, {}, false)), (Doubles{3}));
}

TEST(Fold, ExtremesOfNanAndInfinity) {
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor nan = Leaf({2}, {1, std::nan("")});
  EXPECT_TRUE(std::isnan(Elements(Amax(nan, {}, false))[0]));
  EXPECT_TRUE(std::isnan(Elements(Amin(nan, {}, false))[0]));
  const Tensor a = Leaf({2}, {inf, 1});
  EXPECT_EQ(Elements(Derive(Amax(a, {}, false), {a})[0]), (Doubles{1, 0}));
  EXPECT_THROW(Amax(Values({0, 2}, {}), {0}, false), Error);
  EXPECT_EQ(Amax(Values({0, 2}, {}), {1}, false).numel(), 0);
}

TEST(Fold, SecondDerivativeOfExtremes) {
  const Tensor x = Leaf({1}, {3});
  const Tensor top = Amax(x, {}, false);
  EXPECT_EQ(Derivative(Mul(Mul(top, top), top), x, 2), 18);
}

}  // namespace
}  // namespace twingrad::ops
