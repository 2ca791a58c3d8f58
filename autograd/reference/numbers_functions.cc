// Functions beyond those of numbers.cc: of triangles and hyperbolas, and those of neural networks.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "autograd/reference/numbers.h"

namespace twingrad::reference {
namespace {

bool IsPoint(Number a, double at) { return a.v == at && a.e == 0; }

// r with the bound for `ulps` last places and for the slope's greatest magnitude within a's bound.
Number Of(Number a, double r, double steepest, double ulps, const FloatFormat& f) {
  r = Rounded(r, f);
  if (std::isnan(a.v) || std::isnan(r)) return {r, a.e == 0 ? 0 : kUnknown};
  if (std::isinf(r)) return {r, IsInfinity(a) ? 0 : kUnknown};
  if (IsInfinity(a)) return Bounded(r, 0, 2 * ulps, f);
  if (a.e == 0) return Bounded(r, 0, 2 * ulps, f);
  return Bounded(r, a.e * steepest * (1 + 1e-6), 2 * ulps, f);
}

// Least and greatest magnitude that a may have.
double Least(Number a) { return std::fmax(std::fabs(a.v) - a.e, 0); }
double Greatest(Number a) { return std::fabs(a.v) + a.e; }

// Of a result that is a difference of terms of about this magnitude.
Number Cancelled(Number r, double magnitude, double roundings, const FloatFormat& f) {
  if (r.e < kUnknown && std::isfinite(r.v)) r.e += roundings * f.unit * magnitude + 2 * f.tiny;
  return r;
}

// a where almost all of it passes, 0 where next to nothing does.
Number AtInfinity(Number a) { return a.v > 0 ? a : Number{0, 0}; }

}  // namespace

Number Tan(Number a, const FloatFormat& f) {
  if (IsPoint(a, 0)) return {0, 0};
  const double r = std::tan(a.v), spread = a.e * (1 + r * r);
  // tan(x + e) = (r + t) / (1 - r t) with t = tan e.
  if (a.e != 0 && !(std::fabs(r) * spread < 0.25 && a.e < 0.25)) return {Rounded(r, f), kUnknown};
  return Of(a, r, 2 * (1 + r * r), kUlps.tan, f);
}

// Of asin and acos: the slope at the end of the interval that is nearer to 1.
static double SteepestArc(Number a) {
  const double x = Greatest(a);
  return x < 1 ? 1 / std::sqrt((1 - x) * (1 + x)) : kUnknown;
}

Number Asin(Number a, const FloatFormat& f) {
  if (IsPoint(a, 0)) return {0, 0};
  return Of(a, std::asin(a.v), SteepestArc(a), kUlps.arc, f);
}

Number Acos(Number a, const FloatFormat& f) {
  if (IsPoint(a, 1)) return {0, 0};
  return Of(a, std::acos(a.v), SteepestArc(a), kUlps.arc, f);
}

Number Atan(Number a, const FloatFormat& f) {
  if (IsPoint(a, 0)) return {0, 0};
  const double x = Least(a);
  return Of(a, std::atan(a.v), 1 / (1 + x * x), kUlps.arc, f);
}

// sinh, cosh and expm1 leave the format where exp does, or half of it.
static Number Growing(Number a, double r, double steepest, const FloatFormat& f) {
  const Number result = Of(a, r, steepest, kUlps.hyperbolic, f);
  const bool beyond = std::isinf(result.v) && std::isfinite(a.v) &&
                      std::exp(std::fabs(a.v) - a.e - 0.7) > Inside(f).largest;
  return beyond ? Number{result.v, 0} : result;
}

Number Sinh(Number a, const FloatFormat& f) {
  if (IsPoint(a, 0)) return {0, 0};
  return Growing(a, std::sinh(a.v), std::cosh(Greatest(a)), f);
}

Number Cosh(Number a, const FloatFormat& f) {
  if (IsPoint(a, 0)) return {1, 0};
  return Growing(a, std::cosh(a.v), std::sinh(Greatest(a)), f);
}

Number Asinh(Number a, const FloatFormat& f) {
  if (IsPoint(a, 0)) return {0, 0};
  return Of(a, std::asinh(a.v), 1 / std::hypot(1, Least(a)), kUlps.hyperbolic, f);
}

Number Acosh(Number a, const FloatFormat& f) {
  if (IsPoint(a, 1)) return {0, 0};
  const double x = a.v - a.e;
  const double steepest = x > 1 ? 1 / (std::sqrt(x - 1) * std::sqrt(x + 1)) : kUnknown;
  return Of(a, std::acosh(a.v), steepest, kUlps.hyperbolic, f);
}

Number Atanh(Number a, const FloatFormat& f) {
  if (IsPoint(a, 0)) return {0, 0};
  const double x = Greatest(a), r = std::atanh(a.v);
  if (std::fabs(a.v) == 1 && a.e == 0) return {r, 0};
  return Of(a, r, x < 1 ? 1 / ((1 - x) * (1 + x)) : kUnknown, kUlps.hyperbolic, f);
}

Number Erf(Number a, const FloatFormat& f) {
  if (IsPoint(a, 0)) return {0, 0};
  if (IsInfinity(a)) return {std::copysign(1.0, a.v), 0};
  const double x = Least(a);
  return Of(a, std::erf(a.v), 2 * std::numbers::inv_sqrtpi * std::exp(-x * x), kUlps.erf, f);
}

// Engines may lose what is subnormal where they compute, or is about to be.
Number Erfc(Number a, const FloatFormat& f) {
  if (IsPoint(a, 0)) return {1, 0};
  if (IsInfinity(a)) return {a.v > 0 ? 0.0 : 2.0, 0};
  const double x = Least(a), r = std::erfc(a.v);
  Number result = Of(a, r, 2 * std::numbers::inv_sqrtpi * std::exp(-x * x), kUlps.erf, f);
  const double lost = 0x1p20 * Inside(f).smallest_normal;
  if (r < lost) result.e += lost;
  return result;
}

Number Expm1(Number a, const FloatFormat& f) {
  if (IsPoint(a, 0)) return {0, 0};
  if (IsInfinity(a)) return a.v > 0 ? a : Number{-1, 0};
  return Growing(a, std::expm1(a.v), std::exp(a.v + a.e), f);
}

Number Log1p(Number a, const FloatFormat& f) {
  if (IsPoint(a, 0)) return {0, 0};
  const double r = std::log1p(a.v), room = 1 + a.v - a.e;
  if (IsPoint(a, -1)) return {r, 0};
  return Of(a, r, room > 0 ? 1 / room : kUnknown, kUlps.log, f);
}

// Of r = log a / log base, with the slope of the logarithm that is nearest to 0. Engines may divide
// two logarithms.
static Number Logarithm(Number a, double r, double log_of_base, const FloatFormat& f) {
  if (IsPoint(a, 1)) return {0, 0};
  if (IsPoint(a, 0)) return {r, 0};
  const double room = a.v - a.e;
  return Of(a, r, room > 0 ? 1 / (room * log_of_base) : kUnknown, kUlps.log + 2, f);
}

Number Log2(Number a, const FloatFormat& f) {
  return Logarithm(a, std::log2(a.v), std::numbers::ln2, f);
}

Number Log10(Number a, const FloatFormat& f) {
  return Logarithm(a, std::log10(a.v), std::numbers::ln10, f);
}

// Engines may take exp(a log 2), of which the product is rounded.
Number Exp2(Number a, const FloatFormat& f) {
  if (IsPoint(a, 0)) return {1, 0};
  if (IsInfinity(a)) return {a.v > 0 ? a.v : 0, 0};
  const double r = std::exp2(a.v), size = Greatest(a);
  const Number result = Of(a, r, std::numbers::ln2 * std::exp2(a.v + a.e), kUlps.exp + size, f);
  const bool beyond = std::isinf(result.v) && std::exp2(a.v - a.e - 1e-3) > Inside(f).largest;
  if (beyond) return {result.v, 0};
  if (result.e < kUnknown) return result;
  // Both numbers lie between 0 and the greatest that it may be.
  const double greatest = std::exp2(a.v + a.e) * (1 + 1e-9);
  return std::isfinite(result.v) && a.e < kUnknown ? Bounded(result.v, greatest, 1, f) : result;
}

// Of 0 it is infinite, with the sign of that.
Number Rsqrt(Number a, const FloatFormat& f) { return Quotient({1, 0}, Sqrt(a, f), f); }

Number Reciprocal(Number a, const FloatFormat& f) { return Quotient({1, 0}, a, f); }

Number Square(Number a, const FloatFormat& f) { return Multiply(a, a, f); }

// Engines may take a quotient by 1 + exp(-a), which overflows before the result vanishes.
Number Silu(Number a, const FloatFormat& f) {
  if (IsPoint(a, 0)) return {0, 0};
  if (IsInfinity(a)) return AtInfinity(a);
  return Multiply(a, Sigmoid(a, f), f);
}

Number Softplus(Number a, const FloatFormat& f) {
  if (IsInfinity(a)) return AtInfinity(a);
  const double r = std::fmax(a.v, 0) + std::log1p(std::exp(-std::fabs(a.v)));
  const double steepest = 1 / (1 + std::exp(-(a.v + a.e)));
  return Of(a, std::isnan(a.v) ? a.v : r, steepest, kUlps.softplus, f);
}

// Engines may take 1 + erf, whose terms cancel; a slope is at most 1.13.
Number Gelu(Number a, const FloatFormat& f) {
  if (IsPoint(a, 0)) return {0, 0};
  if (IsInfinity(a)) return AtInfinity(a);
  const double r = a.v * (std::erfc(-a.v * (std::numbers::sqrt2 / 2)) / 2);
  return Cancelled(Of(a, r, 1.13, kUlps.gelu, f), std::fabs(a.v), 4, f);
}

Number GeluTanh(Number a, const FloatFormat& f) {
  if (IsPoint(a, 0)) return {0, 0};
  if (IsInfinity(a)) return AtInfinity(a);
  const double scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  const double z = scale * (a.v + 0.044715 * a.v * a.v * a.v);
  return Cancelled(Of(a, a.v / (1 + std::exp(-2 * z)), 1.13, kUlps.gelu, f), std::fabs(a.v), 8, f);
}

// The greater of the two and the logarithm of a number from 1 to 2, which may cancel. What an
// infinity leaves is the other operand.
Number LogAddExp(Number a, Number b, const FloatFormat& f) {
  const double m = std::fmax(a.v, b.v);
  const bool known = a.e < kUnknown && b.e < kUnknown;
  if (std::isnan(a.v) || std::isnan(b.v)) return {a.v + b.v, known ? 0 : kUnknown};
  if (IsInfinity(a)) return a.v > 0 ? a : b;
  if (IsInfinity(b)) return b.v > 0 ? b : a;
  const double r = Rounded(m + std::log1p(std::exp(-std::fabs(a.v - b.v))), f);
  if (!known || !std::isfinite(r)) return {r, kUnknown};
  return Cancelled(Bounded(r, std::fmax(a.e, b.e), 2, f), std::fabs(m) + 1, 12, f);
}

// Both coordinates may be off by what is the radius of a circle around the point, of which the
// angle is at most that radius over the distance that is left. Where a is 0 its sign may decide.
Number Atan2(Number a, Number b, const FloatFormat& f) {
  const double r = Rounded(std::atan2(a.v, b.v), f), radius = a.e + b.e;
  if (std::isnan(r)) return {r, radius < kUnknown ? 0 : kUnknown};
  const bool beside_cut = std::fabs(a.v) <= a.e && b.v <= b.e;
  if (beside_cut) return {r, kUnknown};
  if (radius == 0) return a.v == 0 ? Number{0, 0} : Bounded(r, 0, 2 * kUlps.arc, f);
  const double room = std::hypot(a.v, b.v) - radius;
  if (!(room > 0) || !std::isfinite(a.v) || !std::isfinite(b.v)) return {r, kUnknown};
  return Bounded(r, radius / room * (1 + 1e-6), 2 * kUlps.arc, f);
}

// 0 where a is: also beside what has no logarithm, but for NaN.
Number XLogY(Number a, Number b, const FloatFormat& f) {
  if (IsPoint(a, 0) && !(std::isnan(b.v) && b.e == 0)) return {0, b.e < kUnknown ? 0 : kUnknown};
  const Number log = Log(b, f), r = Multiply(a, log, f);
  const bool may_be_either = std::fabs(a.v) <= a.e && !std::isfinite(log.v);
  return may_be_either ? Number{r.v, kUnknown} : r;
}

}  // namespace twingrad::reference
