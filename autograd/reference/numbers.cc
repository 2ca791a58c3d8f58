#include "autograd/reference/numbers.h"

#include <algorithm>

namespace twingrad::reference {
namespace {

bool BothExact(Number a, Number b) { return a.e == 0 && b.e == 0; }
bool AnyNonFinite(Number a, Number b) { return !std::isfinite(a.v) || !std::isfinite(b.v); }
bool Known(Number a) { return a.e < kUnknown; }
// On every engine.
bool IsNan(Number a) { return std::isnan(a.v) && a.e == 0; }
bool IsInfinite(Number a) { return std::isinf(a.v) && (a.e == 0 || a.e == kEitherSign); }
bool IsZero(Number a) { return a.v == 0 && a.e == 0; }
bool IsFinite(Number a) { return std::isfinite(a.v) && Known(a); }
bool IsNotZero(Number a) { return IsInfinite(a) || (IsFinite(a) && std::fabs(a.v) > a.e); }

constexpr Number kNan = {std::numeric_limits<double>::quiet_NaN(), 0};
constexpr Number kNothing = {std::numeric_limits<double>::quiet_NaN(), kUnknown};

// The infinity with this sign for the twin.
Number OfEitherSign(double r) {
  return {std::copysign(std::numeric_limits<double>::infinity(), r), kEitherSign};
}

// Of one exact operand: NaN or infinity at the function's edge of its domain.
Number Unary(double x, double r, const FloatFormat& f, double propagated, double ulps) {
  if (!std::isfinite(r))
    return NonFinite(r, propagated == 0 && !(std::isfinite(x) && std::isinf(r)));
  return Bounded(r, propagated, 2 * ulps, f);
}

// a to a small whole power by repeated products, each of which must be lossless.
bool ExactWholePower(double a, int n, const FloatFormat& f, double* result) {
  double p = 1;
  for (int i = 0; i < n; ++i) {
    const double next = p * a;
    if (!std::isfinite(next) || std::fma(p, a, -next) != 0 || Rounded(next, f) != next)
      return false;
    if (std::fabs(next) < 0x1p-900 && a != 0) return false;
    p = next;
  }
  *result = p;
  return true;
}

bool ExactPower(double a, double b, const FloatFormat& f, double* result) {
  if (b == 0 || a == 1) {
    *result = 1;
    return true;
  }
  if (std::isnan(a) || std::isnan(b)) {
    *result = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  if (b == 1) {
    *result = a;
    return true;
  }
  if (!std::isfinite(a) || b != std::trunc(b) || std::fabs(b) > 64) return false;
  if (b > 0) return ExactWholePower(a, static_cast<int>(b), f, result);
  double p;
  if (a == 0 || !ExactWholePower(a, static_cast<int>(-b), f, &p)) return false;
  *result = 1 / p;
  return std::fma(*result, p, -1) == 0 && Rounded(*result, f) == *result;
}

}  // namespace

Number Add(Number a, Number b, const FloatFormat& f) {
  const double s = a.v + b.v, r = Rounded(s, f);
  if (IsNan(a) || IsNan(b)) return kNan;
  if (!std::isfinite(r)) return NonFinite(r, AnyNonFinite(a, b) && Known(a) && Known(b));
  if (BothExact(a, b)) {
    const double part = s - a.v;
    const double lost = (a.v - (s - part)) + (b.v - part);
    if (lost == 0 && r == s) return {r, 0};
  }
  return Bounded(r, a.e + b.e, 1, f);
}

Number Multiply(Number a, Number b, const FloatFormat& f) {
  const double p = a.v * b.v, r = Rounded(p, f);
  if (IsNan(a) || IsNan(b)) return kNan;
  if (IsInfinity(a) && IsNotZero(b)) return {r, 0};
  if (IsInfinity(b) && IsNotZero(a)) return {r, 0};
  if ((a.v == 0 && a.e == 0 && std::isfinite(b.v) && Known(b)) ||
      (b.v == 0 && b.e == 0 && std::isfinite(a.v) && Known(a))) {
    return {0, 0};
  }
  if (!std::isfinite(r)) return NonFinite(r, AnyNonFinite(a, b) && BothExact(a, b));
  if (BothExact(a, b)) {
    const bool lossless = std::fabs(p) > 0x1p-900 && std::fma(a.v, b.v, -p) == 0 && r == p;
    if (lossless) return {r, 0};
    return Bounded(r, 0, 1, f);
  }
  return Bounded(r, std::fabs(a.v) * b.e + std::fabs(b.v) * a.e + a.e * b.e, 1, f);
}

Number Divide(Number a, Number b, const FloatFormat& f) {
  const double q = a.v / b.v, r = Rounded(q, f);
  if (IsNan(a) || IsNan(b)) return kNan;
  if (std::fabs(b.v) <= b.e || b.v == 0) {
    // The sign of a quotient by zero is the sign of a zero; only NaN does not depend on it.
    return NonFinite(r, BothExact(a, b) && std::isnan(r));
  }
  if (a.v == 0 && a.e == 0 && Known(b) && std::isfinite(b.v)) return {0, 0};
  if (IsInfinity(a) && IsFinite(b)) return {r, 0};
  if (IsInfinity(b) && IsFinite(a)) return {0, 0};
  if (!std::isfinite(r)) return NonFinite(r, AnyNonFinite(a, b) && BothExact(a, b));
  if (BothExact(a, b)) {
    const bool lossless = std::fabs(a.v) > 0x1p-900 && std::fabs(q) > 0x1p-900 &&
                          std::fma(q, b.v, -a.v) == 0 && r == q;
    if (lossless) return {r, 0};
  }
  return Bounded(r, (a.e + std::fabs(q) * b.e) / (std::fabs(b.v) - b.e), 1, f);
}

Number Product(Number a, Number b, const FloatFormat& f) {
  if (a.e >= 0 && b.e >= 0) return Multiply(a, b, f);
  if (IsNan(a) || IsNan(b) || IsZero(a) || IsZero(b)) return kNan;
  return IsNotZero(a) && IsNotZero(b) ? OfEitherSign(a.v * b.v) : kNothing;
}

Number Quotient(Number a, Number b, const FloatFormat& f) {
  if (IsZero(b) && IsNotZero(a)) return OfEitherSign(a.v / b.v);
  if (a.e >= 0 && b.e >= 0) return Divide(a, b, f);
  if (IsNan(a) || IsNan(b) || (IsInfinite(a) && IsInfinite(b))) return kNan;
  if (IsFinite(a)) return {0, 0};
  return IsInfinite(a) && IsFinite(b) ? OfEitherSign(a.v / b.v) : kNothing;
}

Number Power(Number a, Number b, const FloatFormat& f) {
  double exact;
  if (BothExact(a, b) && ExactPower(a.v, b.v, f, &exact)) return {exact, 0};
  // a^0 is 1 and a^1 is a for every base, also for one with a bound.
  if (b.e == 0 && b.v == 0) return {1, 0};
  if (b.e == 0 && b.v == 1) return a;
  const double r = Rounded(std::pow(a.v, b.v), f);
  // So far beyond the format that no factor b and no 1 / a brings it back.
  if (std::isinf(r) && BothExact(a, b) && std::isfinite(a.v) && std::isfinite(b.v) && a.v != 0 &&
      b.v * std::log2(std::fabs(a.v)) > std::log2(Inside(f).largest) + 80) {
    return {r, 0};
  }
  if (!std::isfinite(r))
    return NonFinite(
        r, BothExact(a, b) && (std::isnan(r) || a.v > 0) && !(std::isfinite(a.v) && std::isinf(r)));
  if (BothExact(a, b) && (a.v == 0 || std::isinf(a.v))) return {r, 0};
  if (!Known(a) || !Known(b)) return {r, kUnknown};
  if (a.v > a.e) {
    // Relative change of a^b = exp(b log a).
    const double low = std::fabs(std::log(a.v - a.e)), high = std::fabs(std::log(a.v + a.e));
    const double change =
        std::fabs(b.v) * a.e / (a.v - a.e) + b.e * std::max(low, high) + b.e * a.e / (a.v - a.e);
    return Bounded(r, std::fabs(r) * std::expm1(change * (1 + 1e-6)) + 4 * f.tiny, 2 * kUlps.pow,
                   f);
  }
  if (b.e == 0 && b.v == std::trunc(b.v) && b.v >= 1) {
    const double slope = b.v * std::pow(std::fabs(a.v) + a.e, b.v - 1);
    return Bounded(r, a.e == 0 ? 0 : slope * a.e * (1 + 1e-6), 2 * kUlps.pow, f);
  }
  if (b.e == 0 && b.v == std::trunc(b.v) && std::fabs(a.v) > a.e) {
    const double slope = -b.v * std::pow(std::fabs(a.v) - a.e, b.v - 1);
    return Bounded(r, a.e == 0 ? 0 : slope * a.e * (1 + 1e-6), 2 * kUlps.pow, f);
  }
  return {r, kUnknown};
}

Number Exp(Number a, const FloatFormat& f) {
  if (a.v == 0 && a.e == 0) return {1, 0};
  if (a.v == -kUnknown && a.e == 0) return {0, 0};
  const double r = Rounded(std::exp(a.v), f);
  // Certainly beyond the format, and on the way to something else too.
  const bool beyond = std::isinf(r) && std::isfinite(a.v);
  if (beyond && std::exp(a.v - a.e - 1e-3) > Inside(f).largest) return {r, 0};
  if (a.e == 0) return Unary(a.v, r, f, 0, kUlps.exp);
  // Both numbers lie between 0 and the greatest that it may be.
  const double greatest = std::exp(a.v + a.e) * (1 + 1e-9), change = r * std::expm1(a.e);
  return Unary(a.v, r, f, (change <= greatest ? change : greatest) + f.tiny, kUlps.exp);
}

Number Log(Number a, const FloatFormat& f) {
  if (a.v == 1 && a.e == 0) return {0, 0};
  const double r = Rounded(std::log(a.v), f);
  if (a.v == 0 && a.e == 0) return {r, 0};
  const double room = std::fabs(a.v) - a.e;
  if (!(room > 0)) return {r, a.e == 0 ? 0 : kUnknown};
  return Unary(a.v, r, f, a.e == 0 ? 0 : a.e / room, kUlps.log);
}

Number Sqrt(Number a, const FloatFormat& f) {
  const double s = std::sqrt(a.v), r = Rounded(s, f);
  if (a.e == 0) {
    if (!std::isfinite(r)) return {r, 0};
    if (r == s && std::fma(r, r, -a.v) == 0 && (a.v == 0 || a.v > 0x1p-900)) return {r, 0};
    return Bounded(r, 0, 1, f);
  }
  if (!(a.v > a.e)) return {r, kUnknown};
  return Bounded(r, a.e / s, 1, f);
}

Number Sin(Number a, const FloatFormat& f) {
  if (a.v == 0 && a.e == 0) return {0, 0};
  return Unary(a.v, Rounded(std::sin(a.v), f), f, a.e, kUlps.sin);
}

Number Cos(Number a, const FloatFormat& f) {
  if (a.v == 0 && a.e == 0) return {1, 0};
  return Unary(a.v, Rounded(std::cos(a.v), f), f, a.e, kUlps.cos);
}

Number Tanh(Number a, const FloatFormat& f) {
  if (a.e == 0 && (a.v == 0 || std::isinf(a.v))) return {std::tanh(a.v), 0};
  return Unary(a.v, Rounded(std::tanh(a.v), f), f, a.e, kUlps.tanh);
}

Number Sigmoid(Number a, const FloatFormat& f) {
  if (a.v == 0 && a.e == 0) return {0.5, 0};
  if (std::isinf(a.v) && a.e == 0) return {a.v > 0 ? 1.0 : 0.0, 0};
  const double r = Rounded(1 / (1 + std::exp(-a.v)), f);
  const double steepest = std::fmin(0.25, std::exp(a.e - std::fabs(a.v)));  // r (1 - r)
  Number result = Unary(a.v, r, f, a.e * steepest * (1 + 1e-9), kUlps.sigmoid);
  // exp(-x) may overflow where the result is not yet zero.
  if (std::isfinite(r)) result.e += 2 * Inside(f).smallest_normal;
  return result;
}

Number Relu(Number a) {
  if (std::isnan(a.v)) return a;
  if (Known(a) && a.v < -a.e) return {0, 0};
  return {a.v > 0 ? a.v : 0, a.e};
}

Number Abs(Number a) { return {std::fabs(a.v), a.e}; }

Number Maximum(Number a, Number b) {
  if (std::isnan(a.v) || std::isnan(b.v)) {
    return {std::numeric_limits<double>::quiet_NaN(), Known(a) && Known(b) ? 0 : kUnknown};
  }
  if (a.v - a.e > b.v + b.e) return a;
  if (b.v - b.e > a.v + a.e) return b;
  return {std::max(a.v, b.v), std::max(a.e, b.e)};
}

Number Minimum(Number a, Number b) { return Negated(Maximum(Negated(a), Negated(b))); }

Number Sign(Number a) {
  const double sign = static_cast<double>((a.v > 0) - (a.v < 0));
  return {sign, a.e == 0 || std::fabs(a.v) > a.e ? 0 : kUnknown};
}

Number Converted(Number a, const FloatFormat& f) {
  const double r = Rounded(a.v, f);
  if (r == a.v || std::isnan(r)) return a;
  if (!std::isfinite(r)) return {r, kUnknown};
  return Bounded(r, a.e, 1, f);
}

Number Truncated(Number a, DType to, int64_t* result) {
  const bool is_short = to == DType::kI32;
  const double end = is_short ? 0x1p31 : 0x1p63;  // one past the greatest
  const auto saturated = [is_short, end](double x) -> int64_t {
    using Short = std::numeric_limits<int32_t>;
    using Long = std::numeric_limits<int64_t>;
    if (std::isnan(x)) return 0;
    if (x >= end) return is_short ? Short::max() : Long::max();
    if (x < -end) return is_short ? Short::min() : Long::min();
    return static_cast<int64_t>(x);
  };
  *result = saturated(a.v);
  if (a.e == 0) return {0, 0};
  const bool same = Known(a) && std::isfinite(a.v) && saturated(a.v - a.e) == *result &&
                    saturated(a.v + a.e) == *result;
  return {0, same ? 0 : kUnknown};
}

Number FromInteger(int64_t a, const FloatFormat& f) {
  const double r = Rounded(static_cast<double>(a), f);
  // No integer lies so near the end of a format that a second rounding on the way could matter.
  if (std::isinf(r)) return {r, 0};
  const bool exact = r < 0x1p63 && static_cast<int64_t>(r) == a;
  return exact ? Number{r, 0} : Bounded(r, 0, 1, f);
}

}  // namespace twingrad::reference
