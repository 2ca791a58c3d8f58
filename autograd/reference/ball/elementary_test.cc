// Elementary functions: their series against their values, and derivatives against closed forms.

#include "autograd/reference/ball/elementary.h"

#include <cmath>

#include "autograd/reference/ball/test_ball.h"

namespace twingrad::reference::ball {
namespace {

TEST(Elementary, SeriesAgreeWithTheirValues) {
  for (int k = 0; k <= static_cast<int>(Function::kGeluTanh); ++k) {
    const auto f = static_cast<Function>(k);
    const bool below_one = f == Function::kTan || f == Function::kAsin || f == Function::kAcos ||
                           f == Function::kAtanh;
    // f(1.5 + 2^-30), or f(0.5 + 2^-30), by its series, to the fourth power of that.
    const Real at(below_one ? 0.5 : 1.5), step(0x1p-30);
    const Taylor series = TaylorOf(f, at, 3);
    const Real sum = series[0] + step * (series[1] + step * (series[2] + step * series[3]));
    const Real direct = TaylorOf(f, at + step, 0)[0];
    EXPECT_LT((sum - direct).Magnitude(), 0x1p-113) << k;
    EXPECT_GT((sum - direct).Magnitude(), 0) << k;
  }
}

TEST(Elementary, DerivativesToThirdOrder) {
  const double e = std::exp(0.5), s = std::sin(0.5), c = std::cos(0.5);
  ExpectDerivatives("exp %x", 0, {1, 1, 1, 1}, 0);
  ExpectDerivatives("exp %x", 0.5, {e, e, e, e});
  ExpectDerivatives("log %x", 1, {0, 1, -1, 2}, 0);
  ExpectDerivatives("log %x", 0.5, {std::log(0.5), 2, -4, 16});
  ExpectDerivatives("sqrt %x", 4, {2, 0.25, -0.03125, 0.01171875}, 0);
  ExpectDerivatives("sin %x", 0, {0, 1, 0, -1}, 0);
  ExpectDerivatives("sin %x", 0.5, {s, c, -s, -c});
  ExpectDerivatives("cos %x", 0, {1, 0, -1, 0}, 0);
  ExpectDerivatives("cos %x", 0.5, {c, -s, -c, s});
  ExpectDerivatives("tanh %x", 0, {0, 1, 0, -2}, 0);
  const double t = std::tanh(0.5), u = 1 - t * t;
  ExpectDerivatives("tanh %x", 0.5, {t, u, -2 * t * u, u * (4 * t * t - 2 * u)});
  ExpectDerivatives("sigmoid %x", 0, {0.5, 0.25, 0, -0.125}, 0);
  const double p = 1 / (1 + std::exp(-0.5)), q = p * (1 - p);
  ExpectDerivatives("sigmoid %x", 0.5, {p, q, q * (1 - 2 * p), q * (1 - 6 * q)});
  ExpectDerivatives("tan %x", 0, {0, 1, 0, 2}, 0);
  ExpectDerivatives("asin %x", 0, {0, 1, 0, 1}, 0);
  ExpectDerivatives("acos %x", 0.6, {std::acos(0.6), -1.25, -1.171875, -5.2490234375});
  ExpectDerivatives("atan %x", 1, {std::atan(1), 0.5, -0.5, 0.5});
  ExpectDerivatives("sinh %x", 0, {0, 1, 0, 1}, 0);
  ExpectDerivatives("cosh %x", 0, {1, 0, 1, 0}, 0);
  ExpectDerivatives("asinh %x", -0.75, {-std::log(2), 0.8, 0.384, 0.04096});
  ExpectDerivatives("acosh %x", 1.25, {std::log(2), 4. / 3, -80. / 27, 1408. / 81});
  ExpectDerivatives("atanh %x", 0, {0, 1, 0, 2}, 0);
  const double g = 2 / std::sqrt(std::acos(-1));
  ExpectDerivatives("erf %x", 0, {0, g, 0, -2 * g});
  ExpectDerivatives("expm1 %x", 0, {0, 1, 1, 1}, 0);
  ExpectDerivatives("log1p %x", 0, {0, 1, -1, 2}, 0);
  const double b = std::log(2), d = std::log(10);
  ExpectDerivatives("log2 %x", 2, {1, 0.5 / b, -0.25 / b, 0.25 / b});
  ExpectDerivatives("log10 %x", 10, {1, 0.1 / d, -0.01 / d, 0.002 / d});
  ExpectDerivatives("exp2 %x", 1, {2, 2 * b, 2 * b * b, 2 * b * b * b});
  ExpectDerivatives("rsqrt %x", 4, {0.5, -0.0625, 0.0234375, -0.0146484375}, 0);
  ExpectDerivatives("reciprocal %x", 2, {0.5, -0.25, 0.25, -0.375}, 0);
  ExpectDerivatives("square %x", 3, {9, 6, 2, 0}, 0);
  ExpectDerivatives("silu %x", 0, {0, 0.5, 0.5, 0}, 0);
  ExpectDerivatives("softplus %x", 0, {std::log(2), 0.5, 0.25, 0});
  ExpectDerivatives("gelu %x", 0, {0, 0.5, g / std::sqrt(2), 0});
  ExpectDerivatives("gelu_tanh %x", 0, {0, 0.5, g / std::sqrt(2), 0});
  ExpectDerivatives("custom %x do=square", 3, {9, 6, 2, 0}, 0);
  ExpectDerivatives("custom %x do=exp", 0, {1, 1, 1, 1}, 0);
}

}  // namespace
}  // namespace twingrad::reference::ball
