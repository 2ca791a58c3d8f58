// sinc, sin(πx) / (πx): its value and those of its derivatives, their bounds, and its partial
// derivatives.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "absl/types/span.h"
#include "autograd/reference/primitive_row.h"
#include "autograd/reference/result.h"

namespace twingrad::reference {
namespace {

using program::kSavesA;
using program::Opcode;

constexpr long double kPi = std::numbers::pi_v<long double>;

// sin(πx) and cos(πx), of x within a turn, which a remainder finds without error.
long double SinPi(long double x) { return std::sin(kPi * std::remainder(x, 2.0L)); }
long double CosPi(long double x) { return std::cos(kPi * std::remainder(x, 2.0L)); }

// Derivative n. The integral of t^n cos(πxt + nπ/2) π^n over t from 0 to 1 is that; by parts from
// there to n - 1, or for small x by its power series.
double Derivative(double at, int64_t n) {
  const long double x = at;
  if (std::isinf(at)) return 0;
  if (std::fabs(at) <= 1) {
    long double power = std::pow(kPi, static_cast<long double>(n)), sum = 0;
    for (int64_t m = 0; m < 48; ++m) {
      const int64_t quarters = (n + m) % 4;  // of a turn, by which the series of cos is shifted
      if (quarters % 2 == 0) {
        sum += (quarters == 0 ? power : -power) / static_cast<long double>(n + m + 1);
      }
      power *= kPi * x / static_cast<long double>(m + 1);
    }
    return static_cast<double>(sum);
  }
  long double f = SinPi(x) / (kPi * x), scale = 1;
  for (int64_t k = 1; k <= n; ++k, scale *= kPi) {
    const long double wave = k % 2 == 0 ? SinPi(x) : CosPi(x);
    f = ((k % 4 < 2 ? scale : -scale) * wave - static_cast<long double>(k) * f) / x;
  }
  return static_cast<double>(f);
}

// What no derivative n exceeds at numbers of at least this magnitude.
double Greatest(int64_t n, double magnitude) {
  const double power = std::pow(std::numbers::pi, static_cast<double>(n));
  const double flat = power / static_cast<double>(n + 1);
  return magnitude > 0 ? std::fmin(flat, 2 * power / std::numbers::pi / magnitude) : flat;
}

// Engines round πx, and what cancels in a recurrence or a series near 0, where odd derivatives are
// about as large as x.
Number Sinc(Number a, int64_t n, const FloatFormat& f) {
  if (std::isnan(a.v) || a.e == kUnknown) return {std::nan(""), a.e == kUnknown ? kUnknown : 0};
  const double r = Rounded(Derivative(a.v, n), f);
  if (std::isinf(a.v)) return {r, a.e};
  if (n == 0 && a.v == 0 && a.e == 0) return {1, 0};
  const double scale = n % 2 == 1 ? std::fmin(1, std::fabs(a.v)) : 1;
  const double roundings =
      n == 0 ? 4 : 8 * std::tgamma(static_cast<double>(n) + 2) * Greatest(n, 0);
  const double off = a.e * Greatest(n + 1, std::fabs(a.v) - a.e);
  return Bounded(r, off + roundings * f.unit * scale, 4, f);
}

const Array* SincValue(const Evaluation& evaluation) {
  const int64_t n = evaluation.arguments.count - 1;
  const Array& a = *evaluation.in[0];
  Result result(evaluation.arena, a.dtype, a.shape, a.size);
  for (int32_t i = 0; i < a.size; ++i) result.Set(i, Sinc(a.At(i), n, FormatOf(a.dtype)));
  return result.array();
}

Term SincSlope(const Backward& b) {
  PrimitiveArguments next = b.step.arguments;
  ++next.count;
  return b.g * b.in(0).Apply(Primitive::kSinc, next);
}

// (cos(πx) - f) / x, and -π² f - 2 f' / x; near 0 by the coefficients (-1)^k π^(2k) / (2k+1)!.
Partials PartialsOfSinc(const ElementwisePoint& p, Choices& choices) {
  constexpr double kSlack = 64 * 0x1p-53;  // of roundings, to slopes of about 1
  const double x = p.a.v;
  if (std::isnan(x)) return Nowhere(choices);
  if (std::isinf(x)) return Curve(kZero, kZero);
  if (p.a.e == kUnknown) return Curve(kNothingKnown, kNothingKnown);
  const double pi = std::numbers::pi;
  double once = 0, twice = 0;
  if (std::fabs(x) > 0.5) {
    const double turn = std::remainder(x, 2);
    const double f = std::sin(pi * turn) / (pi * x);
    once = (std::cos(pi * turn) - f) / x;
    twice = -pi * pi * f - 2 * once / x;
  } else {
    double coefficient = 1;  // of x^(2k)
    for (int k = 1; k < 16; ++k) {
      coefficient *= -pi * pi / (2 * k * (2 * k + 1));
      once += coefficient * 2 * k * std::pow(x, 2 * k - 1);
      twice += coefficient * 2 * k * (2 * k - 1) * std::pow(x, 2 * k - 2);
    }
  }
  const double least = std::fabs(x) - p.a.e;
  return Curve({once, p.a.e * Greatest(2, least) + kSlack * std::fmin(1, std::fabs(x))},
               {twice, p.a.e * Greatest(3, least) + 8 * kSlack});
}

constexpr PrimitiveRow kSincRows[] = {
    {Primitive::kSinc, Opcode::kSinc, 1, kSavesA, SincValue, SincSlope, PartialsOfSinc},
};

static_assert(AreRowsOf(kSincRows, Primitive::kSinc, Primitive::kSelect), "in the order");
static_assert(NameEveryOp(kSincRows, 1, Opcode::kSinc, Opcode::kClamp), "a row for the statement");

}  // namespace

absl::Span<const PrimitiveRow> SincPrimitive() { return kSincRows; }

}  // namespace twingrad::reference
