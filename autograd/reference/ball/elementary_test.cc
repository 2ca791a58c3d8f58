// Elementary functions: their series against their values, and derivatives against closed forms.

#include "autograd/reference/ball/elementary.h"

#include <cmath>

#include "autograd/reference/ball/test_ball.h"

namespace twingrad::reference::ball {
namespace {

TEST(Elementary, SeriesAgreeWithTheirValues) {
  for (const Function f : {Function::kExp, Function::kLog, Function::kSqrt, Function::kSin,
                           Function::kCos, Function::kTanh, Function::kSigmoid}) {
    // f(1.5 + 2^-30) by its series, to the fourth power of that.
    const Real at(1.5), step(0x1p-30);
    const Taylor series = TaylorOf(f, at, 3);
    const Real sum = series[0] + step * (series[1] + step * (series[2] + step * series[3]));
    const Real direct = TaylorOf(f, at + step, 0)[0];
    EXPECT_LT((sum - direct).Magnitude(), 0x1p-118) << static_cast<int>(f);
    EXPECT_GT((sum - direct).Magnitude(), 0) << static_cast<int>(f);
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
  ExpectDerivatives("custom %x do=square", 3, {9, 6, 2, 0}, 0);
  ExpectDerivatives("custom %x do=exp", 0, {1, 1, 1, 1}, 0);
}

}  // namespace
}  // namespace twingrad::reference::ball
