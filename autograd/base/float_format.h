// The binary formats of the floating element types.
//
//   FormatOf(DType::kF16).largest                        // 65504
//   Rounded(0.1, FormatOf(DType::kBF16))                 // 0.10009765625
//   IsRepresentable(0.1, FormatOf(DType::kF32))          // false
//
// Facts that Programs, generators and witnesses share: precision and range of IEEE 754 binary16,
// binary32 and binary64, and of bfloat16. The engine's own conversions are in tensor/element.h and
// know nothing of these. Pure functions, any thread.

#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/base/dtype.h"

namespace twingrad {

struct FloatFormat {
  int precision = 53;        // bits of a normal significand, the leading one among them
  int min_exponent = -1022;  // of the smallest normal number, 2^min_exponent
  double unit = 0x1p-53;     // largest relative error of rounding to nearest
  double tiny = 0x1p-1074;   // the smallest positive number, subnormal
  double smallest_normal = 0x1p-1022;
  double largest = std::numeric_limits<double>::max();
};

inline constexpr FloatFormat kF64Format;
inline constexpr FloatFormat kF32Format = {24,       -126,     0x1p-24,
                                           0x1p-149, 0x1p-126, std::numeric_limits<float>::max()};
inline constexpr FloatFormat kF16Format = {11, -14, 0x1p-11, 0x1p-24, 0x1p-14, 65504};
inline constexpr FloatFormat kBF16Format = {8, -126, 0x1p-8, 0x1p-133, 0x1p-126, 0x1.fep127};

// That of f64 for types that are not floating.
constexpr const FloatFormat& FormatOf(DType dtype) {
  return dtype == DType::kF32    ? kF32Format
         : dtype == DType::kF16  ? kF16Format
         : dtype == DType::kBF16 ? kBF16Format
                                 : kF64Format;
}

// x rounded once, to nearest, ties to even; infinite beyond the format.
inline double Rounded(double x, const FloatFormat& f) {
  if (f.precision == 53 || !std::isfinite(x)) return x;
  if (f.precision == 24) return static_cast<float>(x);
  // Multiples of the unit in the last place of x's binade; subnormal numbers share the last one's.
  const int exponent = x == 0 ? f.min_exponent : std::ilogb(x);
  const int place = std::max(exponent, f.min_exponent) - (f.precision - 1);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -place)), place);
  return std::fabs(rounded) > f.largest ? std::copysign(HUGE_VAL, x) : rounded;
}

// The greatest number of the format that is less than the finite x.
inline double NextBelow(double x, const FloatFormat& f) {
  if (f.precision == 53) return std::nextafter(x, -HUGE_VAL);
  const double nearest = Rounded(x, f);
  if (nearest < x) return nearest;
  const int exponent = nearest == 0 ? f.min_exponent : std::ilogb(nearest);
  const double place = std::ldexp(1, std::max(exponent, f.min_exponent) - (f.precision - 1));
  // Below a power of two numbers lie closer.
  const double half = Rounded(nearest - place / 2, f);
  return half < nearest ? half : nearest - place;
}

// As Rounded, but what is finite and not 0 stays so.
inline double Fitted(double x, const FloatFormat& f) {
  const double rounded = Rounded(x, f);
  if (std::isinf(rounded) && std::isfinite(x)) return std::copysign(f.largest, x);
  return rounded == 0 && x != 0 ? std::copysign(f.tiny, x) : rounded;
}

// Whether it is a number of the format, an infinity or NaN.
inline bool IsRepresentable(double x, const FloatFormat& f) {
  return std::isnan(x) || Rounded(x, f) == x;
}

}  // namespace twingrad
