#include "autograd/ops/elementary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "autograd/base/error.h"
#include "autograd/ops/activation.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/test_gradients.h"
#include "autograd/ops/trigonometric.h"

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

// Points at which the closed forms are rational, or powers of a few numbers.
constexpr double kPi = std::numbers::pi;
const double kSlopeOfErf = 2 / std::sqrt(kPi);
const double kLnTwo = std::log(2), kLnTen = std::log(10);
// Of Φ at 0, whose odd derivatives from the third on are -1, 3, ... times this.
const double kDensity = 1 / std::sqrt(2 * kPi);

Tensor LeakyReluByHalf(const Tensor& a) { return LeakyRelu(a, 0.5); }
Tensor EluByTwo(const Tensor& a) { return Elu(a, 2); }
Tensor CeluByTwo(const Tensor& a) { return Celu(a, 2); }
Tensor HardtanhToTwo(const Tensor& a) { return Hardtanh(a, -1, 2); }
const double kSeluScale = 1.0507009873554804934193349852946;
const double kSeluDepth = kSeluScale * 1.6732632423543772848170429916717;

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
        Case{"leaky_relu", LeakyReluByHalf, -3, {-1.5, 0.5, 0, 0}},
        Case{"leaky_relu_at_0", LeakyReluByHalf, 0, {0, 0.5, 0, 0}},
        Case{"elu_above", EluByTwo, 3, {3, 1, 0, 0}}, Case{"elu_at_0", EluByTwo, 0, {0, 2, 2, 2}},
        Case{"elu_below",
             EluByTwo,
             -1,
             {2 * std::exp(-1) - 2, 2 * std::exp(-1), 2 * std::exp(-1), 2 * std::exp(-1)}},
        Case{"celu_above", CeluByTwo, 3, {3, 1, 0, 0}},
        Case{"celu_at_0", CeluByTwo, 0, {0, 1, 0.5, 0.25}},
        Case{"celu_below",
             CeluByTwo,
             -1,
             {2 * std::exp(-0.5) - 2, std::exp(-0.5), std::exp(-0.5) / 2, std::exp(-0.5) / 4}},
        Case{"selu_above", Selu, 3, {3 * kSeluScale, kSeluScale, 0, 0}},
        Case{"selu_at_0", Selu, 0, {0, kSeluDepth, kSeluDepth, kSeluDepth}},
        Case{"selu_below",
             Selu,
             -1,
             {kSeluDepth * (std::exp(-1) - 1), kSeluDepth* std::exp(-1), kSeluDepth* std::exp(-1),
              kSeluDepth* std::exp(-1)}},
        Case{"hardtanh", HardtanhToTwo, 1.5, {1.5, 1, 0, 0}},
        Case{"hardtanh_at_min", HardtanhToTwo, -1, {-1, 0, 0, 0}},
        Case{"hardtanh_above", HardtanhToTwo, 3, {2, 0, 0, 0}},
        Case{"relu6", Relu6, 5, {5, 1, 0, 0}}, Case{"relu6_at_0", Relu6, 0, {0, 0, 0, 0}},
        Case{"relu6_above", Relu6, 7, {6, 0, 0, 0}},
        Case{"sinc", Sinc, 1, {0, -1, 2, kPi* kPi - 6}},
        Case{"sinc_at_0", Sinc, 0, {1, 0, -kPi* kPi / 3, 0}},
        Case{"sinc_by_series",
             Sinc,
             0.5,
             {2 / kPi, -4 / kPi, 16 / kPi - 2 * kPi, 12 * kPi - 96 / kPi}},
        Case{"sinc_far_out",
             Sinc,
             -2.5,
             {0.4 / kPi, 0.16 / kPi, 0.128 / kPi - 0.4 * kPi, 0.1536 / kPi - 0.48 * kPi}},
        Case{"hardsigmoid", Hardsigmoid, 1.5, {0.75, 1. / 6, 0, 0}},
        Case{"hardsigmoid_at_3", Hardsigmoid, 3, {1, 0, 0, 0}},
        Case{"hardsigmoid_below", Hardsigmoid, -4, {0, 0, 0, 0}},
        Case{"log2", Log2, 4, {2, 1 / (4 * kLnTwo), -1 / (16 * kLnTwo), 2 / (64 * kLnTwo)}},
        Case{"log10", Log10, 10, {1, 1 / (10 * kLnTen), -1 / (100 * kLnTen), 2 / (1e3 * kLnTen)}},
        Case{"exp2", Exp2, 3, {8, 8 * kLnTwo, 8 * kLnTwo* kLnTwo, 8 * kLnTwo* kLnTwo* kLnTwo}},
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
              S() * (1 - S()) * (1 - 6 * S() + 6 * S() * S())}},
        Case{"tan", Tan, kPi / 4, {1, 2, 4, 16}}, Case{"asin", Asin, 0, {0, 1, 0, 1}},
        Case{"acos", Acos, 0, {kPi / 2, -1, 0, -1}},
        Case{"atan", Atan, 1, {kPi / 4, 0.5, -0.5, 0.5}},
        Case{"sinh", Sinh, std::log(2), {0.75, 1.25, 0.75, 1.25}},
        Case{"cosh", Cosh, std::log(2), {1.25, 0.75, 1.25, 0.75}},
        Case{"asinh", Asinh, 0.75, {std::log(2), 0.8, -0.384, 0.04096}},
        Case{"acosh", Acosh, 1.25, {std::log(2), 4. / 3, -1.25 * 64 / 27, 1408. / 81}},
        Case{"atanh", Atanh, 0.6, {std::log(2), 1 / 0.64, 1.2 / 0.4096, 15.869140625}},
        Case{"erf", Erf, 0, {0, kSlopeOfErf, 0, -2 * kSlopeOfErf}},
        Case{"erfc", Erfc, 0, {1, -kSlopeOfErf, 0, 2 * kSlopeOfErf}},
        Case{"expm1", Expm1, std::log(2), {1, 2, 2, 2}},
        Case{"log1p", Log1p, 1, {std::log(2), 0.5, -0.25, 0.25}},
        Case{"rsqrt", Rsqrt, 4, {0.5, -1. / 16, 3. / 128, -15. / 1024}},
        Case{"reciprocal", Reciprocal, 2, {0.5, -0.25, 0.25, -0.375}},
        Case{"square", Square, 3, {9, 6, 2, 0}}, Case{"silu", Silu, 0, {0, 0.5, 0.5, 0}},
        Case{"softplus", Softplus, 0, {std::log(2), 0.5, 0.25, 0}},
        Case{"gelu", Gelu, 0, {0, 0.5, 2 * kDensity, 0}},
        Case{"gelu_tanh", GeluTanh, 0, {0, 0.5, 2 * kDensity, 0}}),
    [](const auto& instance) { return std::string(instance.param.name); });

// Where a function levels off, infinity times 0 is no NaN: value and derivatives are the limits.
TEST(Elementary, LimitsAtInfinity) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  struct Limits {
    Tensor (*function)(const Tensor&);
    double below, above, slope_below, slope_above;
  };
  for (const Limits& limits :
       {Limits{Silu, 0, kInfinity, 0, 1}, Limits{Softplus, 0, kInfinity, 0, 1},
        Limits{Gelu, 0, kInfinity, 0, 1}, Limits{GeluTanh, 0, kInfinity, 0, 1},
        Limits{Erf, -1, 1, 0, 0}, Limits{Erfc, 2, 0, 0, 0},
        Limits{Atan, -kPi / 2, kPi / 2, 0, 0}}) {
    const Tensor x = Leaf({4}, {-kInfinity, -1e300, 1e300, kInfinity});
    const Tensor y = limits.function(x);
    EXPECT_EQ(Elements(y)[0], limits.below);
    EXPECT_EQ(Elements(y)[3], limits.above);
    const Tensor slopes = Derive(y, {x}, true)[0];
    EXPECT_EQ(Elements(slopes), (Doubles{limits.slope_below, limits.slope_below, limits.slope_above,
                                         limits.slope_above}));
  }
  for (Tensor (*function)(const Tensor&) : {Silu, Softplus, Gelu, GeluTanh, Erf}) {
    const Tensor x = Leaf({4}, {-kInfinity, -1e300, 1e300, kInfinity});
    const Tensor slopes = Derive(function(x), {x}, true)[0];
    EXPECT_EQ(Elements(Derive(slopes, {x})[0]), (Doubles{0, 0, 0, 0}));
  }
}

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
