#include "autograd/ops/elementary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "autograd/base/error.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/test_gradients.h"

namespace twingrad::ops {
namespace {

struct Case {
  const char* name;
  Tensor (*function)(const Tensor&);
  double x;
  double derivatives[4];  // of order 0 to 3, in closed form
};

double T() { return std::tanh(0.5); }
double S() { return 1 / (1 + std::exp(-0.75)); }

class ElementaryDerivatives : public testing::TestWithParam<Case> {};

TEST_P(ElementaryDerivatives, MatchTheClosedForms) {
  const Case& c = GetParam();
  const Tensor x = Leaf({}, {c.x});
  const Tensor y = c.function(x);
  for (int order = 0; order < 4; ++order) {
    EXPECT_NEAR(Derivative(y, x, order), c.derivatives[order],
                1e-14 * (1 + std::fabs(c.derivatives[order])))
        << "order " << order;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ElementaryDerivatives,
    testing::Values(
        Case{"exp", Exp, 1.5, {std::exp(1.5), std::exp(1.5), std::exp(1.5), std::exp(1.5)}},
        Case{"log", Log, 2, {std::log(2), 1. / 2, -1. / 4, 2. / 8}},
        Case{"sqrt", Sqrt, 4, {2, 1. / 4, -1. / 32, 3. / 256}},
        Case{"sin", Sin, 0.3, {std::sin(0.3), std::cos(0.3), -std::sin(0.3), -std::cos(0.3)}},
        Case{"cos", Cos, 0.3, {std::cos(0.3), -std::sin(0.3), -std::cos(0.3), std::sin(0.3)}},
        Case{"tanh",
             Tanh,
             0.5,
             {T(), 1 - T() * T(), -2 * T() * (1 - T() * T()),
              (1 - T() * T()) * (6 * T() * T() - 2)}},
        Case{"sigmoid",
             Sigmoid,
             0.75,
             {S(), S() * (1 - S()), S() * (1 - S()) * (1 - 2 * S()),
              S() * (1 - S()) * (1 - 6 * S() + 6 * S() * S())}}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST(Elementary, InPlaceGivesTheSameGradients) {
  struct Pair {
    Tensor (*function)(const Tensor&);
    void (*write)(Tensor&);
  };
  for (const Pair& pair :
       {Pair{Exp, ExpInPlace}, Pair{Sqrt, SqrtInPlace}, Pair{Sin, SinInPlace},
        Pair{Cos, CosInPlace}, Pair{Tanh, TanhInPlace}, Pair{Sigmoid, SigmoidInPlace}}) {
    const Tensor x = Leaf({2}, {0.5, 1.25});
    const Tensor expected = pair.function(Mul(x, x));
    Tensor y = Mul(x, x);
    pair.write(y);
    EXPECT_EQ(y.version(), 1u);
    EXPECT_EQ(Elements(y), Elements(expected));
    EXPECT_EQ(Elements(Derive(y, {x})[0]), Elements(Derive(expected, {x})[0]));
    // Second order, through what the write saved.
    const Tensor first = Derive(y, {x}, true)[0];
    const Tensor first_expected = Derive(expected, {x}, true)[0];
    EXPECT_EQ(Elements(Derive(first, {x})[0]), Elements(Derive(first_expected, {x})[0]));
  }
}

// The result is saved: writing to it afterwards spoils the gradient, and that is told.
TEST(Elementary, WritesAfterSavingAreErrors) {
  const Tensor x = Leaf({1}, {2});
  Tensor y = Exp(x);
  AddInPlace(y, Values({1}, {1}));
  EXPECT_EQ(KindOf([&] { Derive(y, {x}); }), ErrorKind::kVersion) << "a stale result was used";
  // sin saves its operand; the write to its result does no harm.
  Tensor z = Sin(x);
  AddInPlace(z, Values({1}, {1}));
  EXPECT_EQ(Elements(Derive(z, {x})[0]), (Doubles{std::cos(2.)}));
}

}  // namespace
}  // namespace twingrad::ops
