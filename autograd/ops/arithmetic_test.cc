#include "autograd/ops/arithmetic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "autograd/base/error.h"
#include "autograd/ops/copy.h"
#include "autograd/ops/test_gradients.h"

namespace twingrad::ops {
namespace {

TEST(Arithmetic, ValuesAndGradients) {
  const Tensor a = Leaf({2}, {3, -2}), b = Leaf({2}, {2, 4});
  struct Case {
    Tensor (*function)(const Tensor&, const Tensor&);
    Doubles value, by_a, by_b;
  };
  for (const Case& c :
       {Case{Add, {5, 2}, {1, 1}, {1, 1}}, Case{Sub, {1, -6}, {1, 1}, {-1, -1}},
        Case{Mul, {6, -8}, {2, 4}, {3, -2}}, Case{Div, {1.5, -0.5}, {0.5, 0.25}, {-0.75, 0.125}}}) {
    const Tensor y = c.function(a, b);
    EXPECT_EQ(Elements(y), c.value);
    const auto gradients = Derive(y, {a, b});
    EXPECT_EQ(Elements(gradients[0]), c.by_a);
    EXPECT_EQ(Elements(gradients[1]), c.by_b);
  }
  EXPECT_EQ(Elements(Derive(Neg(a), {a})[0]), (Doubles{-1, -1}));
}

TEST(Arithmetic, SecondDerivatives) {
  const Tensor a = Leaf({}, {3}), b = Leaf({}, {2});
  const Tensor by_a = Derive(Mul(a, b), {a}, true)[0];
  EXPECT_EQ(Elements(Derive(by_a, {a, b})[1]), (Doubles{1}));
  // a / b: by b is -a / b², by b twice 2 a / b³, by a and b -1 / b².
  const Tensor by_b = Derive(Div(a, b), {b}, true)[0];
  EXPECT_EQ(Elements(by_b), (Doubles{-0.75}));
  const auto second = Derive(by_b, {a, b});
  EXPECT_EQ(Elements(second[0]), (Doubles{-0.25}));
  EXPECT_EQ(Elements(second[1]), (Doubles{0.75}));
}

TEST(Arithmetic, PowerOfAWholeNumber) {
  const Tensor x = Leaf({}, {2});
  const Tensor y = Pow(x, Constant(4, x));
  EXPECT_EQ(Derivative(y, x, 0), 16);
  EXPECT_EQ(Derivative(y, x, 1), 32);
  EXPECT_EQ(Derivative(y, x, 2), 48);
  EXPECT_EQ(Derivative(y, x, 3), 48);
}

TEST(Arithmetic, PowerByItsExponent) {
  const Tensor x = Leaf({}, {3});
  const Tensor y = Pow(Constant(2, x), x);
  EXPECT_DOUBLE_EQ(Derivative(y, x, 1), 8 * std::log(2));
  EXPECT_DOUBLE_EQ(Derivative(y, x, 2), 8 * std::log(2) * std::log(2));
}

// 0^0 and its neighbours: the gradients are 0, not NaN.
// Rules: S7.
TEST(Arithmetic, PowerAtZero) {
  const Tensor a = Leaf({3}, {0, 0, 5}), b = Leaf({3}, {0, 2, 0});
  const auto gradients = Derive(Pow(a, b), {a, b});
  EXPECT_EQ(Elements(gradients[0]), (Doubles{0, 0, 0}));
  EXPECT_EQ(Elements(gradients[1]), (Doubles{0, 0, std::log(5.)}));
}

// At exponent 0 a^b is smooth in both where a is positive: by a it is 0, by b log a, by both 1 / a,
// by a and twice b 2 log a / a, by b and twice a -1 / a².
// Rules: S7.
TEST(Arithmetic, PowerIsSmoothAtExponentZero) {
  const Tensor a = Leaf({}, {3}), b = Leaf({}, {0});
  const Tensor y = Pow(a, b);
  const auto first = Derive(y, {a, b}, true);
  EXPECT_EQ(Elements(first[0]), (Doubles{0}));
  const auto of_base = Derive(first[0], {a, b}, true);
  EXPECT_EQ(Elements(of_base[0]), (Doubles{0}));
  EXPECT_EQ(Elements(of_base[1]), (Doubles{1. / 3}));
  const auto of_exponent = Derive(first[1], {a, b}, true);
  EXPECT_DOUBLE_EQ(Elements(of_exponent[0])[0], 1. / 3);
  EXPECT_DOUBLE_EQ(Elements(of_exponent[1])[0], std::log(3.) * std::log(3.));
  const auto third = Derive(of_base[1], {a, b});
  EXPECT_DOUBLE_EQ(Elements(third[0])[0], -1. / 9);
  EXPECT_DOUBLE_EQ(Elements(third[1])[0], 2 * std::log(3.) / 3);
}

// Masked elements have finite derivatives of every order.
// Rules: S7.
TEST(Arithmetic, PowersOfZeroAreSmoothInTheBase) {
  const Tensor a = Leaf({}, {0});
  for (const double exponent : {0, 1, 2, 3}) {
    const Tensor y = Pow(a, Constant(exponent, a));
    EXPECT_EQ(Derivative(y, a, 1), exponent == 1 ? 1 : 0) << exponent;
    EXPECT_EQ(Derivative(y, a, 2), exponent == 2 ? 2 : 0) << exponent;
    EXPECT_EQ(Derivative(y, a, 3), exponent == 3 ? 6 : 0) << exponent;
  }
  const Tensor b = Leaf({}, {2});
  EXPECT_EQ(Derivative(Pow(a, b), b, 1), 0);
  EXPECT_EQ(Derivative(Pow(a, b), b, 2), 0);
  const Tensor nan = Leaf({}, {std::nan("")});
  EXPECT_EQ(Derivative(Pow(nan, Constant(0, nan)), nan, 1), 0);
}

// At a subnormal base the mixed derivative 1 / a is beyond the format, and the others are 0.
// Rules: S7.
TEST(Arithmetic, PowerIsSteepAtSubnormalBases) {
  const Tensor a = Leaf({2}, {1e-310, 2}), b = Leaf({2}, {0, 0});
  const auto first = Derive(Pow(a, b), {a, b}, true);
  EXPECT_EQ(Elements(first[0]), (Doubles{0, 0}));
  const auto of_base = Derive(first[0], {a, b}, true);
  EXPECT_EQ(Elements(of_base[0]), (Doubles{0, 0}));
  EXPECT_EQ(Elements(of_base[1]), (Doubles{std::numeric_limits<double>::infinity(), 0.5}));
}

// The square of the divisor leaves the format, the slope does not.
TEST(Arithmetic, QuotientsOfGreatAndSmallNumbers) {
  const Tensor a = Leaf({3}, {0x1p-400, 0x1p900, std::numeric_limits<double>::infinity()});
  const Tensor b = Leaf({3}, {0x1p-600, 0x1p600, 0x1p600});
  const auto gradients = Derive(Div(a, b), {a, b});
  EXPECT_EQ(Elements(gradients[1]),
            (Doubles{-0x1p800, -0x1p-300, -std::numeric_limits<double>::infinity()}));
}

// Rules: R8.
TEST(Arithmetic, BroadcastOperandsGetGradientsOfTheirShape) {
  const Tensor a = Leaf({2, 1}, {1, 2}), b = Leaf({3}, {10, 20, 30});
  const auto gradients = Derive(Mul(a, b), {a, b});
  EXPECT_EQ(gradients[0].sizes(), a.sizes());
  EXPECT_EQ(Elements(gradients[0]), (Doubles{60, 60}));
  EXPECT_EQ(Elements(gradients[1]), (Doubles{3, 3, 3}));
}

TEST(Arithmetic, InPlace) {
  const Tensor x = Leaf({2}, {3, 5}), w = Leaf({2}, {2, 4});
  Tensor y = Clone(x);
  MulInPlace(y, w);  // x w
  AddInPlace(y, x);  // x w + x
  DivInPlace(y, w);  // x + x / w
  SubInPlace(y, w);  // x + x / w - w
  NegInPlace(y);
  EXPECT_EQ(Elements(y), (Doubles{-2.5, -2.25}));
  EXPECT_EQ(y.version(), 5u);
  const auto gradients = Derive(y, {x, w});
  EXPECT_EQ(Elements(gradients[0]), (Doubles{-1.5, -1.25}));
  EXPECT_EQ(Elements(gradients[1]), (Doubles{0.75 + 1, 5. / 16 + 1}));
}

TEST(Arithmetic, InPlaceMakesAConstantPartOfTheGraph) {
  const Tensor x = Leaf({2}, {3, 5});
  Tensor y = Values({2}, {1, 1});
  EXPECT_FALSE(RequiresGrad(y));
  MulInPlace(y, x);
  EXPECT_TRUE(RequiresGrad(y));
  EXPECT_FALSE(IsLeaf(y));
  EXPECT_EQ(Elements(Derive(y, {x})[0]), (Doubles{1, 1}));
}

TEST(Arithmetic, InPlaceRefusals) {
  Tensor leaf = Leaf({2}, {3, 5});
  EXPECT_EQ(KindOf([&] { AddInPlace(leaf, leaf); }), ErrorKind::kLeafInPlace);
  Tensor narrow = Values({2}, {0, 0});
  const Tensor tall = Values({3, 2}, {1, 1, 1, 1, 1, 1});
  EXPECT_EQ(KindOf([&] { AddInPlace(narrow, tall); }), ErrorKind::kShape);
  EXPECT_EQ(narrow.version(), 0u);
  {
    GradModeGuard no_grad(false);
    AddInPlace(leaf, narrow);
  }
  EXPECT_EQ(leaf.version(), 1u);
  EXPECT_EQ(KindOf([&] { Add(leaf, Tensor()); }), ErrorKind::kUndefined);
}

// What another node saved of a tensor must not change under it.
TEST(Arithmetic, WritingASavedOperandIsAnError) {
  const Tensor x = Leaf({1}, {2});
  Tensor y = Mul(x, x);
  const Tensor z = Mul(y, y);
  AddInPlace(y, x);
  EXPECT_THROW(Derive(z, {x}), Error);
}

TEST(Arithmetic, IntegersHaveNoHistory) {
  const Tensor a = Tensor::FromData<int64_t>({2}, {3, 4});
  const Tensor c = Pow(a, Add(a, a));
  EXPECT_EQ(Elements(c), (Doubles{729, 65536}));
  EXPECT_FALSE(RequiresGrad(c));
}

}  // namespace
}  // namespace twingrad::ops
