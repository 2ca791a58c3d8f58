// Functions of two numbers against their derivatives from textbooks, far out too.

#include "autograd/ops/pairs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "autograd/ops/test_gradients.h"

namespace twingrad::ops {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tensor One(double x) { return Leaf({}, {x}); }

TEST(Pairs, LogAddExp) {
  const Tensor a = One(0), b = One(std::log(3));
  const Tensor y = LogAddExp(a, b);
  EXPECT_DOUBLE_EQ(Elements(y)[0], std::log(4));
  // The slope s = 1/4, then s (1 - s), then s (1 - s) (1 - 2 s).
  EXPECT_DOUBLE_EQ(Derivative(y, a, 1), 0.25);
  EXPECT_DOUBLE_EQ(Derivative(y, a, 2), 0.1875);
  EXPECT_DOUBLE_EQ(Derivative(y, a, 3), 0.09375);
  EXPECT_DOUBLE_EQ(Derivative(y, b, 1), 0.75);
  const Tensor by_a = Derive(y, {a}, /*create_graph=*/true)[0];
  EXPECT_DOUBLE_EQ(Derivative(by_a, b, 1), -0.1875);
}

TEST(Pairs, LogAddExpFarOut) {
  EXPECT_EQ(Elements(LogAddExp(One(1e308), One(-1e308)))[0], 1e308);
  EXPECT_EQ(Elements(LogAddExp(One(-kInfinity), One(2)))[0], 2);
  EXPECT_EQ(Elements(LogAddExp(One(2), One(kInfinity)))[0], kInfinity);
  EXPECT_EQ(Elements(LogAddExp(One(-kInfinity), One(-kInfinity)))[0], -kInfinity);
  EXPECT_TRUE(std::isnan(Elements(LogAddExp(One(kInfinity), One(std::nan(""))))[0]));
  const Tensor a = One(900), b = One(-900);
  EXPECT_EQ(Derivative(LogAddExp(a, b), a, 1), 1);
  EXPECT_EQ(Derivative(LogAddExp(a, b), a, 2), 0);
  EXPECT_EQ(Derivative(LogAddExp(a, b), b, 1), 0);
}

TEST(Pairs, Atan2) {
  const Tensor a = One(1), b = One(-2);
  const Tensor y = Atan2(a, b);
  EXPECT_DOUBLE_EQ(Elements(y)[0], std::numbers::pi - std::atan(0.5));
  // b / r², -a / r²; -2 a b / r⁴; (6 a² b - 2 b³) / r⁶
  EXPECT_DOUBLE_EQ(Derivative(y, a, 1), -0.4);
  EXPECT_DOUBLE_EQ(Derivative(y, b, 1), -0.2);
  EXPECT_DOUBLE_EQ(Derivative(y, a, 2), 0.16);
  EXPECT_DOUBLE_EQ(Derivative(y, b, 2), -0.16);
  EXPECT_NEAR(Derivative(y, a, 3), 4.0 / 125, 1e-15);
  const Tensor by_a = Derive(y, {a}, /*create_graph=*/true)[0];
  EXPECT_DOUBLE_EQ(Derivative(by_a, b, 1), (1.0 - 4.0) / 25);
}

// Whose squares leave the format.
TEST(Pairs, Atan2FarOut) {
  const Tensor a = One(1e200), b = One(1e200);
  EXPECT_DOUBLE_EQ(Derivative(Atan2(a, b), a, 1), 5e-201);
  const Tensor c = One(1e-200), d = One(1e-200);
  EXPECT_DOUBLE_EQ(Derivative(Atan2(c, d), d, 1), -5e199);
  // A quotient of numbers without a full count of digits is rounded once.
  const Tensor e = One(0x1.8p-7), tiny = One(0x1p-1073);
  EXPECT_DOUBLE_EQ(Derivative(Atan2(e, tiny), e, 1), 0x1p-1059 / 2.25);
}

TEST(Pairs, XLogY) {
  const Tensor a = One(3), b = One(2);
  const Tensor y = XLogY(a, b);
  EXPECT_DOUBLE_EQ(Elements(y)[0], 3 * std::numbers::ln2);
  EXPECT_DOUBLE_EQ(Derivative(y, a, 1), std::numbers::ln2);
  EXPECT_DOUBLE_EQ(Derivative(y, a, 2), 0);
  EXPECT_DOUBLE_EQ(Derivative(y, b, 1), 1.5);
  EXPECT_DOUBLE_EQ(Derivative(y, b, 2), -0.75);
}

// Where the first operand is 0, the second decides about the slope, and its own slope about the
// mixed one.
TEST(Pairs, XLogYAtZero) {
  const Tensor a = One(0), b = One(2);
  EXPECT_EQ(Elements(XLogY(a, b))[0], 0);
  EXPECT_DOUBLE_EQ(Derivative(XLogY(a, b), a, 1), std::numbers::ln2);
  const Tensor by_a = Derive(XLogY(a, b), {a}, /*create_graph=*/true)[0];
  EXPECT_EQ(Derivative(by_a, b, 1), 0.5);
  EXPECT_EQ(Derivative(XLogY(a, b), b, 1), 0);
  EXPECT_EQ(Elements(XLogY(a, One(0)))[0], 0);
  EXPECT_EQ(Elements(XLogY(a, One(-1)))[0], 0);
  EXPECT_TRUE(std::isnan(Elements(XLogY(a, One(std::nan(""))))[0]));
  EXPECT_EQ(Elements(XLogY(One(1), One(0)))[0], -std::numeric_limits<double>::infinity());
}

TEST(Pairs, FmodHasTheSignOfTheFirst) {
  const Tensor a = One(-7), b = One(3);
  const Tensor y = Fmod(a, b);
  EXPECT_EQ(Elements(y)[0], -1);
  EXPECT_EQ(Derivative(y, a, 1), 1);
  EXPECT_EQ(Derivative(y, b, 1), 2);  // -7 = -2 * 3 - 1
  EXPECT_EQ(Derivative(y, b, 2), 0);
  EXPECT_EQ(Elements(Fmod(a, One(kInfinity)))[0], -7);
  EXPECT_TRUE(std::isnan(Elements(Fmod(a, One(0)))[0]));
}

TEST(Pairs, RemainderHasTheSignOfTheSecond) {
  const Tensor a = One(-7), b = One(3);
  const Tensor y = Remainder(a, b);
  EXPECT_EQ(Elements(y)[0], 2);
  EXPECT_EQ(Derivative(y, a, 1), 1);
  EXPECT_EQ(Derivative(y, b, 1), 3);  // -7 = -3 * 3 + 2
  EXPECT_EQ(Elements(Remainder(One(7), One(-3)))[0], -2);
  EXPECT_EQ(Elements(Remainder(One(6), One(3)))[0], 0);
}

// 0.3 / 0.1 is rounded to 3, but 0.1 goes into 0.3 only twice, as the doubles are.
TEST(Pairs, ARoundedQuotientDoesNotCount) {
  const Tensor a = One(0.3), b = One(0.1);
  EXPECT_DOUBLE_EQ(Elements(Fmod(a, b))[0], 0.1 - 0x1p-55);
  EXPECT_EQ(Derivative(Fmod(a, b), b, 1), -2);
  EXPECT_EQ(Derivative(Remainder(a, b), b, 1), -2);
  EXPECT_EQ(Derivative(Fmod(One(0x1p60), b), b, 1), -(0x1p60 / 0.1));
}

TEST(Pairs, XLogYOfNothingBesideZero) {
  const Tensor a = Leaf({0}, {}), b = Leaf({1, 1}, {0});
  const Tensor y = XLogY(a, b);
  const Tensor by_a = Derive(y, {a}, /*create_graph=*/true)[0];
  EXPECT_EQ(Elements(Derive(by_a, {b})[0]), (Doubles{0}));
}

TEST(Pairs, AreBroadcast) {
  const Tensor a = Leaf({2, 1}, {0, 0}), b = Leaf({3}, {0, 0, 0});
  EXPECT_EQ(LogAddExp(a, b).sizes(), (Shape{2, 3}));
  EXPECT_EQ(Elements(Derive(LogAddExp(a, b), {a})[0]), (Doubles{1.5, 1.5}));
  EXPECT_EQ(KindOf([&] { Atan2(a, Leaf({3, 2}, {1, 2, 3, 4, 5, 6})); }), ErrorKind::kShape);
  const Tensor integers = Tensor::Zeros({2}, DType::kI64);
  EXPECT_EQ(KindOf([&] { Atan2(integers, integers); }), ErrorKind::kDType);
}

}  // namespace
}  // namespace twingrad::ops
