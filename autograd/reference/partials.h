// First and second partial derivatives of the elementwise functions, for the dual witness, and the
// arithmetic in which the rows of primitives write them.
//
// Written in forward form from the calculus textbook, independently of the twin's reverse rules. At
// points without a derivative, Choices says which slope is taken. Pure functions but for that.

#pragma once

#include <cmath>
#include <limits>

#include "autograd/reference/choices.h"
#include "autograd/reference/numbers.h"
#include "autograd/reference/tangents.h"

namespace twingrad::reference {

struct ElementwisePoint {
  Number a;
  Number b;  // of functions of two numbers
  Number result;
  bool a_varies = false;  // has tangents
  bool b_varies = false;
  int order = 2;  // of the derivatives that are asked for
};

// Arithmetic in double.
inline constexpr Number kZero{0, 0}, kOne{1, 0}, kTwo{2, 0}, kNothingKnown{0, kUnknown};
// Of a point at which mathematics names no derivative.
inline constexpr Number kNoDerivative{std::numeric_limits<double>::quiet_NaN(), kUnknown};
inline Number operator+(Number a, Number b) { return Add(a, b, kF64Format); }
inline Number operator-(Number a) { return Negated(a); }
inline Number operator-(Number a, Number b) { return Subtract(a, b, kF64Format); }
inline Number operator*(Number a, Number b) { return Multiply(a, b, kF64Format); }
inline Number operator/(Number a, Number b) { return Divide(a, b, kF64Format); }

inline bool IsExactly(Number x, double value) { return x.v == value && x.e == 0; }
inline bool MayBeZero(Number x) { return !(std::fabs(x.v) > x.e); }

// A function whose second derivative is 0. One with slope 0 is constant nearby: infinite
// derivatives of what it is computed from leave no trace.
inline Partials Straight(Slope slope) {
  Partials partials;
  partials.a = slope.value;
  partials.a_spread = slope.spread;
  partials.a_flat = slope.flat;
  return partials;
}
inline Partials Straight(Number slope) {
  return Straight(Slope{slope, 0, /*flat=*/IsExactly(slope, 0)});
}

// The first and second derivative.
inline Partials Curve(Number slope, Number curvature) { return {.a = slope, .aa = curvature}; }
// Of a number at which the function has no value.
inline Partials Nowhere(Choices& choices) {
  choices.NoteUndefined();
  return Curve(kNoDerivative, kNoDerivative);
}

// A slope that jumps at 0: `own` there, by this repository's choice.
inline Slope Jump(Number x, double below, double own, double above, Kink kink, Choices& choices) {
  if (std::isnan(x.v)) {
    choices.NoteUndefined();
    return {kNoDerivative};
  }
  if (MayBeZero(x)) return choices.Between(kink, below, own, above, /*near=*/x.e != 0);
  const double slope = x.v > 0 ? above : below;
  return {{slope, 0}, 0, /*flat=*/slope == 0};
}

}  // namespace twingrad::reference
