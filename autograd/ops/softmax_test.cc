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

}  // namespace
}  // namespace twingrad::ops
