#include "autograd/ops/piecewise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "autograd/base/error.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/test_gradients.h"

namespace twingrad::ops {
namespace {

TEST(Piecewise, WhereSendsEachGradientToItsSide) {
  const Tensor c = Tensor::FromData<bool>({2, 1}, {true, false});
  const Tensor a = Leaf({3}, {1, 2, 3}), b = Leaf({}, {9});
  const Tensor y = Where(c, a, b);
  EXPECT_EQ(Elements(y), (Doubles{1, 2, 3, 9, 9, 9}));
  const auto gradients = Derive(y, {a, b});
  EXPECT_EQ(Elements(gradients[0]), (Doubles{1, 1, 1}));
  EXPECT_EQ(Elements(gradients[1]), (Doubles{3}));
}

TEST(Piecewise, WhereChecksThatItsConditionStays) {
  Tensor c = Tensor::FromData<bool>({2}, {true, false});
  const Tensor a = Leaf({2}, {1, 2});
  const Tensor y = Where(c, a, Mul(a, a));
  c.BumpVersion();
  EXPECT_THROW(Derive(y, {a}), Error);
}

// Rules: S2.
TEST(Piecewise, MaximumSharesATie) {
  const Tensor a = Leaf({3}, {1, 5, 3}), b = Leaf({3}, {2, 5, 1});
  const auto gradients = Derive(Maximum(a, b), {a, b});
  EXPECT_EQ(Elements(gradients[0]), (Doubles{0, 0.5, 1}));
  EXPECT_EQ(Elements(gradients[1]), (Doubles{1, 0.5, 0}));
}

// Rules: S2.
TEST(Piecewise, MinimumSharesATie) {
  const Tensor a = Leaf({3}, {1, 5, 3}), b = Leaf({3}, {2, 5, 1});
  EXPECT_EQ(Elements(Minimum(a, b)), (Doubles{1, 5, 1}));
  const auto gradients = Derive(Minimum(a, b), {a, b});
  EXPECT_EQ(Elements(gradients[0]), (Doubles{1, 0.5, 0}));
  EXPECT_EQ(Elements(gradients[1]), (Doubles{0, 0.5, 1}));
}

// Rules: N5, S6.
TEST(Piecewise, SgnHasNoSlope) {
  const Tensor a = Leaf({3}, {-2, 0, 3});
  EXPECT_EQ(Elements(Sgn(a)), (Doubles{-1, 0, 1}));
  EXPECT_EQ(Elements(Derive(Sgn(a), {a})[0]), (Doubles{0, 0, 0}));
  EXPECT_FALSE(RequiresGrad(Derive(Sgn(a), {a}, true)[0]));
}

// Rules: S5.
TEST(Piecewise, ClampIsFlatAtItsLimits) {
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor a = Leaf({4}, {-2, -1, 0.5, 3});
  EXPECT_EQ(Elements(Clamp(a, -1, 1)), (Doubles{-1, -1, 0.5, 1}));
  EXPECT_EQ(Elements(Derive(Clamp(a, -1, 1), {a})[0]), (Doubles{0, 0, 1, 0}));
  EXPECT_EQ(Elements(Clamp(a, 0, inf)), (Doubles{0, 0, 0.5, 3}));
  const Tensor nan = Leaf({1}, {std::nan("")});
  EXPECT_TRUE(std::isnan(Elements(Clamp(nan, -1, 1))[0]));
}

// Rules: S1.
TEST(Piecewise, ReluAndAbsAtTheirKinks) {
  const Tensor a = Leaf({3}, {-2, 0, 3});
  EXPECT_EQ(Elements(Relu(a)), (Doubles{0, 0, 3}));
  EXPECT_EQ(Elements(Derive(Relu(a), {a})[0]), (Doubles{0, 0, 1}));
  EXPECT_EQ(Elements(Abs(a)), (Doubles{2, 0, 3}));
  EXPECT_EQ(Elements(Derive(Abs(a), {a})[0]), (Doubles{-1, 0, 1}));
}

// Rules: S6.
TEST(Piecewise, MasksAreConstants) {
  const Tensor a = Leaf({2}, {-2, 3});
  const Tensor first = Derive(Mul(Relu(a), Abs(a)), {a}, true)[0];
  EXPECT_EQ(Elements(first), (Doubles{0, 6}));
  EXPECT_EQ(Elements(Derive(first, {a})[0]), (Doubles{0, 2}));
  EXPECT_FALSE(RequiresGrad(Derive(Relu(a), {a}, true)[0]));
}

TEST(Piecewise, InPlace) {
  const Tensor x = Leaf({2}, {-2, 3});
  Tensor y = Mul(x, x);
  SubInPlace(y, Values({2}, {5, 5}));
  AbsInPlace(y);  // |4 - 5|, |9 - 5|
  ReluInPlace(y);
  EXPECT_EQ(Elements(y), (Doubles{1, 4}));
  EXPECT_EQ(Elements(Derive(y, {x})[0]), (Doubles{4, 6}));
}

// Rules: R9.
TEST(Piecewise, NanPassesThrough) {
  const Tensor nan = Leaf({1}, {std::numeric_limits<double>::quiet_NaN()});
  for (const Tensor& y : {Relu(nan), Abs(nan), Maximum(nan, Values({1}, {1}))}) {
    EXPECT_TRUE(std::isnan(Elements(y)[0]));
  }
}

}  // namespace
}  // namespace twingrad::ops
