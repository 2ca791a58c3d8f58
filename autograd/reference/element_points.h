// Where an op on elements is smooth, by its operand or each of its two: what the rows of points.cc
// are made of. Pure functions.

#pragma once

#include <cmath>
#include <limits>

#include "autograd/reference/points.h"

namespace twingrad::reference::points {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr Point kSmooth{};
inline constexpr Point kUndefined{PointClass::kUndefined};
constexpr Point Between(double low, double high) { return {PointClass::kKink, low, high}; }
constexpr Point Boundary(double slope) { return {PointClass::kBoundary, slope, slope}; }

inline bool IsWhole(double x) { return std::isfinite(x) && x == std::trunc(x); }
inline bool EitherIsNan(double a, double b) { return std::isnan(a) || std::isnan(b); }

inline Point Linear(double, double) { return kSmooth; }
inline Point Factor(double x) {
  if (std::isnan(x)) return kUndefined;
  return std::isinf(x) ? Boundary(x) : kSmooth;
}
inline Point TimesA(double a, double) { return Factor(a); }
inline Point TimesB(double, double b) { return Factor(b); }
// tanh, gelu and others whose slopes level off.
inline Point Bounded(double a, double) { return std::isnan(a) ? kUndefined : kSmooth; }
inline Point Wave(double a, double) { return std::isfinite(a) ? kSmooth : kUndefined; }
inline Point Exp(double a, double) {
  if (std::isnan(a)) return kUndefined;
  return a > 709.8 ? Boundary(kInfinity) : kSmooth;
}
// sqrt and log.
inline Point Root(double a, double) {
  if (a == 0) return Boundary(kInfinity);
  return a > 0 ? kSmooth : kUndefined;
}
// asin, acos and atanh; of acos the slope is negative.
inline Point InArc(double a, double) {
  if (std::fabs(a) == 1) return Boundary(kInfinity);
  return std::fabs(a) < 1 ? kSmooth : kUndefined;
}
inline Point Exp2(double a, double) {
  if (std::isnan(a)) return kUndefined;
  return a > 1024 ? Boundary(kInfinity) : kSmooth;
}
inline Point Acosh(double a, double) { return Root(a - 1, 0); }
inline Point Log1p(double a, double) { return Root(a + 1, 0); }
inline Point Pole(double a, double) {
  if (std::isnan(a)) return kUndefined;
  return a == 0 ? Boundary(kInfinity) : kSmooth;
}
// sinh and cosh, whose slopes are the other.
inline Point Hyperbolic(double a, double) {
  if (std::isnan(a)) return kUndefined;
  return std::fabs(a) > 710.5 ? Boundary(kInfinity) : kSmooth;
}
inline Point Square(double a, double) { return Factor(a); }
inline Point AtZero(double a, Point there) {
  if (std::isnan(a)) return kUndefined;
  return a == 0 ? there : kSmooth;
}
inline Point Relu(double a, double) { return AtZero(a, Between(0, 1)); }
inline Point Abs(double a, double) { return AtZero(a, Between(-1, 1)); }
inline Point Sgn(double a, double) { return AtZero(a, {PointClass::kJump}); }
inline Point Clamp(double a, double) { return AtZero(std::fabs(a) - 1, Between(0, 1)); }
inline Point Relu6(double a, double) { return a == 6 ? Between(0, 1) : Relu(a, 0); }
inline Point Hardsigmoid(double a, double) { return AtZero(std::fabs(a) - 3, Between(0, 1.0 / 6)); }
// By 1/2 and by 2.
inline Point LeakyRelu(double a, double) { return AtZero(a, Between(0.5, 1)); }
inline Point Elu(double a, double) { return AtZero(a, Between(1, 2)); }
inline Point Celu(double a, double) { return AtZero(a, Between(1, 1)); }
inline Point Selu(double a, double) {
  constexpr double kScale = 1.0507009873554804934193349852946;
  return AtZero(a, Between(kScale, kScale * 1.6732632423543772848170429916717));
}
inline Point AtTie(double a, double b) {
  if (EitherIsNan(a, b)) return kUndefined;
  return a == b ? Between(0, 1) : kSmooth;
}
inline Point DivByA(double, double b) {
  if (std::isnan(b)) return kUndefined;
  return b == 0 ? Boundary(kInfinity) : kSmooth;
}
inline Point DivByB(double a, double b) {
  if (EitherIsNan(a, b) || (std::isinf(a) && std::isinf(b))) return kUndefined;
  if (b == 0) return a == 0 ? kUndefined : Boundary(kInfinity);
  return std::isinf(a) ? Boundary(kInfinity) : kSmooth;
}
inline Point PowByA(double a, double b) {
  if (b == 0 || b == 1) return kSmooth;  // 1 and a, for every a
  if (EitherIsNan(a, b)) return kUndefined;
  if (a == 0) return b < 0 ? kUndefined : b < 1 ? Boundary(kInfinity) : kSmooth;
  if (std::isinf(a)) return b > 1 ? Boundary(kInfinity) : kSmooth;
  return a > 0 || IsWhole(b) ? kSmooth : kUndefined;
}
inline Point PowByB(double a, double b) {
  if (a == 1) return kSmooth;  // 1 for every b
  if (EitherIsNan(a, b) || std::isinf(a) || std::isinf(b) || a < 0) return kUndefined;
  return a > 0 || b > 0 ? kSmooth : kUndefined;
}

inline Point AddedByA(double a, double b) {
  return EitherIsNan(a, b) || (std::isinf(a) && a == b) ? kUndefined : kSmooth;
}
inline Point ProductWithLog(double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b) || b < 0) return kUndefined;
  if (b == 0) return a == 0 ? kUndefined : Boundary(kInfinity);
  return kSmooth;
}
// fmod and remainder: whether there is a jump, which lies on the value's side.
inline bool RemainderJump(double a, double b) { return std::fmod(a, b) == 0; }
inline bool FmodJump(double a, double b) { return a != 0 && RemainderJump(a, b); }
inline bool HasNoRest(double a, double b) {
  return !std::isfinite(a) || !std::isfinite(b) || b == 0;
}
template <bool (*kJumps)(double, double)>
Point RestByA(double a, double b) {
  if (HasNoRest(a, b)) return kUndefined;
  return kJumps(a, b) ? Boundary(1) : kSmooth;
}
template <bool (*kJumps)(double, double)>
Point RestByB(double a, double b) {
  if (HasNoRest(a, b)) return kUndefined;
  return kJumps(a, b) ? Boundary(-(a / b)) : kSmooth;
}
inline Point AngleByA(double a, double b) {
  const bool finite = std::isfinite(a) && std::isfinite(b);
  return !finite || (a == 0 && b <= 0) ? kUndefined : kSmooth;
}

}  // namespace twingrad::reference::points
