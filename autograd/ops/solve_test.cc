#include "autograd/ops/solve.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/linear_algebra.h"
#include "autograd/ops/rearrange.h"
#include "autograd/ops/test_gradients.h"
#include "autograd/ops/view.h"

namespace twingrad::ops {
namespace {

void ExpectNear(const Doubles& seen, const Doubles& expected) {
  ASSERT_EQ(seen.size(), expected.size());
  for (size_t i = 0; i < seen.size(); ++i) {
    EXPECT_NEAR(seen[i], expected[i], 1e-12 * (1 + std::fabs(expected[i]))) << i;
  }
}

// n x n with s in each place of the diagonal and 1 elsewhere.
Tensor Filled(int64_t n, double diagonal) {
  Doubles elements(static_cast<size_t>(n * n), 1);
  for (int64_t i = 0; i < n; ++i) elements[static_cast<size_t>(i * n + i)] = diagonal;
  Tensor leaf = Tensor::FromData<double>(Shape{n, n}, elements);
  SetRequiresGrad(leaf, true);
  return leaf;
}

TEST(Solve, InverseOfANumber) {
  const Tensor x = Leaf({1, 1}, {2});
  EXPECT_EQ(Elements(Inverse(x)), (Doubles{0.5}));
  EXPECT_EQ(Derivative(Inverse(x), x, 1), -0.25);
  EXPECT_EQ(Derivative(Inverse(x), x, 2), 0.25);
  EXPECT_EQ(Derivative(Inverse(x), x, 3), -0.375);
}

TEST(Solve, InverseOfMatrices) {
  const Tensor a = Leaf({2, 2, 2}, {1, 2, 3, 4, 2, 0, 0, 4});
  const Tensor x = Inverse(a);
  ExpectNear(Elements(x), {-2, 1, 1.5, -0.5, 0.5, 0, 0, 0.25});
  // -xᵀ g xᵀ of a g of ones: the negative products of the sums of x's columns and rows.
  ExpectNear(Elements(Derive(x, {a})[0]), {-0.5, 0.5, 0.5, -0.5, -0.25, -0.125, -0.125, -0.0625});
  EXPECT_EQ(Derive(Inverse(Leaf({0, 2, 2}, {})), {a})[0].numel(), 8);
  EXPECT_EQ(KindOf([] { Inverse(Leaf({2, 2}, {1, 2, 2, 4})); }), ErrorKind::kDomain);
  EXPECT_EQ(KindOf([] { Inverse(Leaf({2}, {1, 2})); }), ErrorKind::kShape);
}

TEST(Solve, DetOfNumbersAndNothing) {
  const Tensor x = Leaf({2, 1, 1}, {2, 3});
  EXPECT_EQ(Elements(Det(x)), (Doubles{2, 3}));
  EXPECT_EQ(Elements(Derive(Det(x), {x})[0]), (Doubles{1, 1}));
  const Tensor none = Leaf({0, 0}, {});
  EXPECT_EQ(Elements(Det(none)), (Doubles{1}));
  EXPECT_EQ(Derive(Det(none), {none})[0].numel(), 0);
}

// Of x times the unit matrix it is x^3.
TEST(Solve, DetHasEveryDerivative) {
  const Tensor unit = Values({3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1});
  for (const double at : {2.0, 0.0}) {
    const Tensor x = Leaf({1, 1}, {at});
    const Tensor y = Det(Mul(x, unit));
    EXPECT_EQ(Derivative(y, x, 1), 3 * at * at);
    EXPECT_EQ(Derivative(y, x, 2), 6 * at);
    EXPECT_EQ(Derivative(y, x, 3), 6);
  }
}

TEST(Solve, DerivativesOfDetAreCofactorsOfSingularMatricesToo) {
  const Tensor a = Leaf({2, 2, 2}, {1, 2, 2, 4, 0, 0, 0, 0});
  EXPECT_EQ(Elements(Derive(Det(a), {a})[0]), (Doubles{4, -2, -2, 1, 0, 0, 0, 0}));
  const Tensor b = Leaf({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  ExpectNear(Elements(Derive(Det(b), {b})[0]), {-3, 6, -3, 6, -12, 6, -3, 6, -3});
}

// Both ways to the cofactors of a matrix with many rows: that of 10 + the ones has the determinant
// 10^(n-1) (10 + n).
TEST(Solve, CofactorsOfManyRows) {
  const int64_t n = 9;
  const Tensor a = Filled(n, 11);
  const Doubles regular = Elements(Derive(Det(a), {a})[0]);
  const double power = std::pow(10, n - 2);
  for (size_t i = 0; i < regular.size(); ++i) {
    const double expected = i % (n + 1) == 0 ? power * (10 + n - 1) : -power;
    EXPECT_NEAR(regular[i] / expected, 1, 1e-12);
  }
  const Tensor ones = Filled(n, 1);
  ExpectNear(Elements(Derive(Det(ones), {ones})[0]), Doubles(static_cast<size_t>(n * n), 0));
}

TEST(Solve, TriangularSystems) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor a = Leaf({2, 2}, {2, nan, 1, 4}), b = Leaf({2, 1}, {2, 9});
  const Tensor x = SolveTriangular(a, b, false);
  EXPECT_EQ(Elements(x), (Doubles{1, 2}));
  // h = a⁻ᵀ (1, 1) = (3/8, 1/4), and -h xᵀ in the triangle.
  const auto gradients = Derive(x, {a, b});
  EXPECT_EQ(Elements(gradients[0]), (Doubles{-0.375, 0, -0.25, -0.5}));
  EXPECT_EQ(Elements(gradients[1]), (Doubles{0.375, 0.25}));
  const Tensor upper = Leaf({2, 2}, {4, 1, nan, 2}), c = Leaf({2, 1}, {9, 2});
  const Tensor y = SolveTriangular(upper, c, true);
  EXPECT_EQ(Elements(y), (Doubles{2, 1}));
  EXPECT_EQ(Elements(Derive(y, {upper})[0]), (Doubles{-0.5, -0.25, 0, -0.375}));
  const Tensor s = Leaf({1, 1}, {2});
  EXPECT_EQ(Derivative(SolveTriangular(s, s, true), s, 1), 0);
  EXPECT_EQ(Derivative(SolveTriangular(s, Values({1, 1}, {1}), true), s, 3), -0.375);
  EXPECT_EQ(KindOf([&] { SolveTriangular(a, Values({2}, {1, 2}), false); }), ErrorKind::kShape);
  const Tensor nothing = SolveTriangular(a, Values({2, 0}, {}), false);
  EXPECT_EQ(Elements(Derive(nothing, {a})[0]), Doubles(4, 0));
}

TEST(Solve, CholeskyOfANumberIsARoot) {
  const Tensor x = Leaf({1, 1}, {4});
  EXPECT_EQ(Elements(Cholesky(x)), (Doubles{2}));
  EXPECT_EQ(Derivative(Cholesky(x), x, 1), 0.25);
  EXPECT_EQ(Derivative(Cholesky(x), x, 2), -1.0 / 32);
  EXPECT_EQ(Derivative(Cholesky(x), x, 3), 3.0 / 256);
}

// l = (2, 0; 1, 3): by a21 it is (0, 0; 1/2, -1/6), and by a11 (1/4, 0; -1/8, 1/24).
TEST(Solve, CholeskyHasAGradientInTheLowerTriangle) {
  const Tensor a = Leaf({2, 2}, {4, 77, 2, 10});
  const Tensor l = Cholesky(a);
  EXPECT_EQ(Elements(l), (Doubles{2, 0, 1, 3}));
  ExpectNear(Weighed(l, a), {0.25 - 3.0 / 8 + 4.0 / 24, 0, 1.5 - 4.0 / 6, 4.0 / 6});
  EXPECT_EQ(KindOf([] { Cholesky(Values({2, 2}, {1, 2, 2, 1})); }), ErrorKind::kDomain);
  EXPECT_EQ(Elements(Cholesky(Values({0, 0}, {}))), Doubles());
}

TEST(Solve, SavedVariablesAreChecked) {
  const auto fails_after = [](const Tensor& y, const Tensor& written) {
    Tensor target = written;
    target.BumpVersion();
    return KindOf([&] { Backward(y); }) == ErrorKind::kVersion;
  };
  const Tensor m = Leaf({2, 2}, {2, 0, 1, 3}), b = Leaf({2, 1}, {1, 1});
  const auto copy = [](const Tensor& t) { return Mul(t, Constant(1, t)); };
  Tensor a = copy(m), y = Inverse(a);
  a.BumpVersion();
  Backward(y, /*keep_graph=*/true);  // of which only the result counts
  EXPECT_TRUE(fails_after(y, y));
  a = copy(m);
  EXPECT_TRUE(fails_after(Det(a), a));
  a = copy(m);
  EXPECT_TRUE(fails_after(SolveTriangular(a, b, false), a));
  y = SolveTriangular(m, b, false);
  EXPECT_TRUE(fails_after(y, y));
  y = Cholesky(m);
  EXPECT_TRUE(fails_after(y, y));
}

}  // namespace
}  // namespace twingrad::ops
