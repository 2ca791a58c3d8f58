#include "autograd/ops/softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "autograd/base/error.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/test_gradients.h"

namespace twingrad::ops {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Softmax, ValuesAndGradients) {
  const Tensor a = Leaf({2, 2}, {0, 0, 1000, 1000});
  EXPECT_EQ(Elements(Softmax(a, 1)), (Doubles{0.5, 0.5, 0.5, 0.5}));
  const Tensor y = Mul(Softmax(a, 1), Values({2}, {1, 3}));
  EXPECT_EQ(Elements(Derive(y, {a})[0]), (Doubles{-0.5, 0.5, -0.5, 0.5}));
  EXPECT_EQ(Softmax(Values({2, 0}, {}), 1).numel(), 0);
  EXPECT_TRUE(std::isnan(Elements(Softmax(Values({1}, {-kInfinity}), 0))[0]));
  EXPECT_THROW(Softmax(Values({}, {1}), 0), Error);
}

// The second derivative of p0 by a0 is p0 (1 - p0) (1 - 2 p0), the third its derivative.
TEST(Softmax, HigherDerivatives) {
  const Tensor zero = Leaf({1}, {0.5});
  const Tensor both = Mul(zero, Values({2}, {1, 0}));
  const Tensor first = Mul(Softmax(both, 0), Values({2}, {1, 0}));
  const double p = 1 / (1 + std::exp(-0.5)), d = p * (1 - p);
  EXPECT_NEAR(Derivative(first, zero, 1), d, 1e-15);
  EXPECT_NEAR(Derivative(first, zero, 2), d * (1 - 2 * p), 1e-15);
  EXPECT_NEAR(Derivative(first, zero, 3), d * (1 - 6 * p + 6 * p * p), 1e-15);
}

TEST(Softmax, LogSoftmax) {
  const Tensor a = Leaf({2}, {0, 0});
  EXPECT_DOUBLE_EQ(Elements(LogSoftmax(a, 0))[0], -std::log(2));
  const auto g = Elements(Derive(Mul(LogSoftmax(a, 0), Values({2}, {1, 3})), {a})[0]);
  EXPECT_NEAR(g[0], -1, 1e-15);
  EXPECT_NEAR(g[1], 1, 1e-15);
}

TEST(Softmax, Logsumexp) {
  const Tensor a = Leaf({2, 2}, {1000, 1000, 0, -kInfinity});
  const Doubles sums = Elements(Logsumexp(a, {1}, false));
  EXPECT_DOUBLE_EQ(sums[0], 1000 + std::log(2));
  EXPECT_EQ(sums[1], 0);
  const auto g = Elements(Derive(Logsumexp(a, {1}, true), {a})[0]);
  EXPECT_NEAR(g[0], 0.5, 1e-12);
  EXPECT_EQ(g[2], 1);
  EXPECT_EQ(g[3], 0);
  EXPECT_EQ(Elements(Logsumexp(Values({0}, {}), {}, false)), (Doubles{-kInfinity}));
  EXPECT_EQ(Elements(Logsumexp(Values({2}, {kInfinity, 0}), {}, false)), (Doubles{kInfinity}));
}

TEST(Softmax, Logcumsumexp) {
  const Tensor a = Leaf({2, 2}, {1000, 1000, 0, -kInfinity});
  const Doubles sums = Elements(Logcumsumexp(a, 1));
  EXPECT_EQ(sums[0], 1000);
  EXPECT_DOUBLE_EQ(sums[1], 1000 + std::log(2));
  EXPECT_EQ(sums[2], 0);
  EXPECT_EQ(sums[3], 0);
  const auto g = Elements(Derive(Mul(Logcumsumexp(a, 1), Values({2}, {1, 3})), {a})[0]);
  EXPECT_NEAR(g[0], 2.5, 1e-12);
  EXPECT_NEAR(g[1], 1.5, 1e-12);
  EXPECT_EQ(g[2], 4);
  EXPECT_EQ(g[3], 0);
  EXPECT_EQ(Elements(Logcumsumexp(Values({3}, {-kInfinity, 2, kInfinity}), 0)),
            (Doubles{-kInfinity, 2, kInfinity}));
  EXPECT_EQ(Logcumsumexp(Values({2, 0}, {}), 1).numel(), 0);
  EXPECT_THROW(Logcumsumexp(Values({}, {1}), 0), Error);
}

// Infinities have no derivative; the entries beside them have.
TEST(Softmax, LogcumsumexpBesideInfinities) {
  const Tensor a = Leaf({5}, {-kInfinity, 2, 2, kInfinity, 7});
  const auto g = Elements(Derive(Logcumsumexp(a, 0), {a})[0]);
  EXPECT_TRUE(std::isnan(g[0]));
  EXPECT_NEAR(g[1], 1.5, 1e-15);
  EXPECT_NEAR(g[2], 0.5, 1e-15);
  EXPECT_TRUE(std::isnan(g[3]));
  EXPECT_EQ(g[4], 0);
  // Nor have second derivatives of others anything to do with a beginning of -∞.
  const Tensor b = Leaf({3}, {-kInfinity, 0, 0});
  const Tensor first = Derive(Logcumsumexp(b, 0), {b}, true)[0];
  const auto second = Elements(Derive(Mul(first, Values({3}, {1, 1, 0})), {b})[0]);
  EXPECT_NEAR(second[1], 0.25, 1e-15);
  EXPECT_NEAR(second[2], -0.25, 1e-15);
}

// The results of x + (0, 0) are x and x + log 2: of x alone the derivatives are 1, 0 and 0. Of the
// first entry they are those of sigmoid.
TEST(Softmax, LogcumsumexpHigherDerivatives) {
  const Tensor x = Leaf({1}, {0.5});
  const Tensor first = Mul(x, Values({2}, {1, 0}));
  const double p = 1 / (1 + std::exp(-0.5)), d = p * (1 - p);
  const double orders[] = {1 + p, d, d * (1 - 2 * p), d * (1 - 6 * d)};
  for (int order = 1; order <= 4; ++order) {
    EXPECT_NEAR(Derivative(Logcumsumexp(first, 0), x, order), orders[order - 1], 1e-14) << order;
    const Tensor both = Mul(x, Values({2}, {1, 1}));
    EXPECT_NEAR(Derivative(Logcumsumexp(both, 0), x, order), order == 1 ? 2 : 0, 1e-14) << order;
  }
}

// Of as many entries, time and memory that grew with the square would be beyond any test.
TEST(Softmax, LogcumsumexpOfManyEntries) {
  constexpr int64_t kSize = 1 << 18;
  const Tensor a = Tensor::Zeros({kSize}, DType::kF64, Device());
  SetRequiresGrad(a, true);
  const Tensor last = Tensor::Zeros({kSize}, DType::kF64, Device());
  last.mutable_data<double>()[kSize - 1] = 1;
  const Tensor first = Derive(Mul(Logcumsumexp(a, 0), last), {a}, true)[0];
  EXPECT_NEAR(Elements(first)[0] * kSize, 1, 1e-9);
  EXPECT_NEAR(Elements(first)[kSize - 1] * kSize, 1, 1e-9);
  // Of p_0 by each: p_0 (1 - p_0), and -p_0 p_k.
  const Tensor one = Tensor::Zeros({kSize}, DType::kF64, Device());
  one.mutable_data<double>()[0] = 1;
  const Doubles second = Elements(Derive(Mul(first, one), {a})[0]);
  const double p = 1.0 / kSize;
  EXPECT_NEAR(second[0] / p, 1 - p, 1e-9);
  EXPECT_NEAR(second[kSize / 2] / p / p, -1, 1e-6);
}

}  // namespace
}  // namespace twingrad::ops
