// Real: a ball of FLINT/Arb, a middle of 128 bits and a radius, as a value with operators.
//
// Every operation encloses all results of numbers of its operands. A ball that is not finite is
// Unknown() and makes all that is computed from it unknown, products with zero included. 128 bits
// lie within the object, so that no memory is allocated for them.

#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include <arb.h>

#include "autograd/base/float_format.h"
#include "autograd/reference/ball/ball_result.h"

namespace twingrad::reference::ball {

inline constexpr slong kBits = 128;

// Of the format's smallest number, and of the greatest power of two in it.
constexpr slong LeastExponent(const FloatFormat& f) { return f.min_exponent - (f.precision - 1); }
constexpr slong GreatestExponent(const FloatFormat& f) { return 1 - f.min_exponent; }
// From there on a number is so near the end that a run may have left the format.
inline double BeginOfEnd(const FloatFormat& f) {
  return std::ldexp(1.0, static_cast<int>(GreatestExponent(f)));
}

class Real {
 public:
  Real() { arb_init(ball_); }
  explicit Real(double exact) : Real() {
    arb_set_d(ball_, exact);
    Normalise();
  }
  static Real OfInteger(int64_t exact);
  static Real Unknown();
  static Real Between(double least, double greatest);
  Real(const Real& other) : Real() { arb_set(ball_, other.ball_); }
  Real(Real&& other) noexcept : Real() { arb_swap(ball_, other.ball_); }
  Real& operator=(const Real& other) {
    arb_set(ball_, other.ball_);
    return *this;
  }
  Real& operator=(Real&& other) noexcept {
    arb_swap(ball_, other.ball_);
    return *this;
  }
  ~Real() { arb_clear(ball_); }

  arb_ptr get() { return ball_; }
  arb_srcptr get() const { return ball_; }

  bool IsKnown() const { return arb_is_finite(ball_) != 0; }
  bool IsPoint() const { return arb_is_exact(ball_) != 0 && IsKnown(); }
  bool IsZero() const { return arb_is_zero(ball_) != 0; }
  bool IsPositive() const { return arb_is_positive(ball_) != 0; }
  bool IsNegative() const { return arb_is_negative(ball_) != 0; }
  bool Overlaps(const Real& other) const { return arb_overlaps(ball_, other.ball_) != 0; }
  // An upper bound of the absolute values; infinity where no double is one.
  double Magnitude() const;
  // The middle as the nearest double.
  double Middle() const;
  // As two doubles and a radius. What overflows the element type, of this format, is infinite, and
  // what may or may not is unknown.
  Enclosure ToEnclosure(const FloatFormat& format) const;
  void Widen(double by);  // adds `by`, not negative, to the radius
  void Normalise() {
    if (!IsKnown()) arb_indeterminate(ball_);
  }

  // All that rounding to the nearest number of the format can make of it; unknown where it may
  // overflow.
  Real RoundedTo(const FloatFormat& format) const;

 private:
  arb_t ball_;
};

Real operator+(const Real& a, const Real& b);
Real operator-(const Real& a, const Real& b);
Real operator*(const Real& a, const Real& b);
Real operator/(const Real& a, const Real& b);
Real operator-(const Real& a);
// Encloses both.
Real Hull(const Real& a, const Real& b);

// A function of one variable near a ball: the coefficients of its Taylor series, the value first.
using Taylor = std::vector<Real>;

}  // namespace twingrad::reference::ball
