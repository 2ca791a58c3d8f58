// Bounds on the errors of tangents.

#pragma once

#include <cmath>

#include "autograd/reference/numbers.h"

namespace twingrad::reference {

// Of doubles.
inline constexpr double kUnitRoundoff = 0x1p-53;

// A product in which 0 times unknown is 0.
inline double Times(double x, double y) { return x == 0 || y == 0 ? 0 : x * y; }

// The error of factor * x for |x| <= magnitude known to `error`, with one rounding.
inline double ProductError(Number factor, double magnitude, double error) {
  const double size = std::fabs(factor.v);
  return Times(size, error) + Times(factor.e, magnitude + error) +
         2 * kUnitRoundoff * Times(size, magnitude);
}

// Rounded up, with room for the additions that combine terms.
inline double Up(double error) { return error * (1 + 1e-9); }

}  // namespace twingrad::reference
