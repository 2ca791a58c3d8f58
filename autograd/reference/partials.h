// First and second partial derivatives of the elementwise functions, for the dual witness, and the
// arithmetic in which the rows of primitives write them.
//
// Written in forward form from the calculus textbook, independently of the twin's reverse rules,
// with this repository's conventions at points without a derivative: 0 at relu and abs, a half each
// at a tie. Pure functions.

#pragma once

#include <cmath>
#include <limits>

#include "autograd/reference/numbers.h"
#include "autograd/reference/tangents.h"

namespace twingrad::reference {

struct ElementwisePoint {
  Number a;
  Number b;  // of functions of two numbers
  Number result;
  bool a_varies = false;  // has tangents
  bool b_varies = false;
};

// Arithmetic in double.
inline constexpr Number kZero{0, 0}, kOne{1, 0}, kTwo{2, 0}, kNothingKnown{0, kUnknown};
// Of a point at which mathematics names no derivative.
inline constexpr Number kUndefined{std::numeric_limits<double>::quiet_NaN(), kUnknown};
inline Number operator+(Number a, Number b) { return Add(a, b, kDoubleFormat); }
inline Number operator-(Number a) { return Negated(a); }
inline Number operator-(Number a, Number b) { return Subtract(a, b, kDoubleFormat); }
inline Number operator*(Number a, Number b) { return Multiply(a, b, kDoubleFormat); }
inline Number operator/(Number a, Number b) { return Divide(a, b, kDoubleFormat); }

inline bool MayBeZero(Number x) { return !(std::fabs(x.v) > x.e); }

// A slope that jumps at 0: `at_zero` there, by convention.
inline Number Jump(Number x, double below, double at_zero, double above, bool* kink) {
  if (MayBeZero(x)) {
    *kink = true;
    return x.e == 0 && x.v == 0 ? Number{at_zero, 0} : kNothingKnown;
  }
  return {x.v > 0 ? above : below, 0};
}

}  // namespace twingrad::reference
