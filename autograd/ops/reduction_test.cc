#include "autograd/ops/reduction.h"

#include <gtest/gtest.h>

#include <cmath>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/test_gradients.h"

namespace twingrad::ops {
namespace {

TEST(Reduction, Sums) {
  const Tensor a = Leaf({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Elements(Sum(a, {}, false)), (Doubles{21}));
  EXPECT_EQ(Elements(Sum(a, {0}, false)), (Doubles{5, 7, 9}));
  EXPECT_EQ(Sum(a, {1}, true).sizes(), (absl::Span<const int64_t>({2, 1})));
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

}  // namespace
}  // namespace twingrad::ops
