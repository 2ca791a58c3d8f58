// Floating-point numbers with a bound on how far any correct engine may be from them.
//
// A Number is a value and a bound on |x - exact| for the x of every correct engine, this value
// included, where `exact` is the result in real arithmetic. Bound 0: every operation so far was
// lossless (sums in any order), so all engines have exactly these bits. +infinity: nothing is
// known. Bounds originate in the table kUlps and the rounding unit of the element type, and
// propagate through each operation by the usual first-order rule plus the terms that make it
// rigorous. There are no hand-picked tolerances. NaN and infinities that follow exactly from exact
// operands have bound 0.
//
// Scalar code in plain double arithmetic: results of shorter formats are computed in double and
// rounded once. An engine computes those of f16 and bf16 in f32 and rounds that, so that two
// roundings count as one: half a unit in the last place is u / (1 + u) of a number at most, for the
// rounding unit u of the short format, and that of f32 is less than the u² that is left to u. -0
// equals 0, and results that depend on the sign of a zero are not compared. Pure functions.

#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "autograd/base/dtype.h"
#include "autograd/base/float_format.h"

namespace twingrad::reference {

struct Number {
  double v = 0;
  double e = 0;
};

inline constexpr double kUnknown = std::numeric_limits<double>::infinity();
// In place of the bound of an infinity: it may have the other sign, and is no NaN. A quotient by
// zero has it, for its sign is that of a zero. Product, Quotient and Negated take it and give it;
// what others read is kUnknown (Array::At).
inline constexpr double kEitherSign = -1;
// In place of the bound of a 0: it is that, or NaN where an engine multiplies an infinity by it. Of
// the dual witness's derivatives alone; what others read is kUnknown.
inline constexpr double kOrNan = -2;

// Largest error of an engine's elementary functions, in units in the last place.
struct Ulps {
  double exp = 2, log = 2, sin = 2, cos = 2, tanh = 2, pow = 2, tan = 2, arc = 2, erf = 2;
  double sigmoid = 4;     // 1 / (1 + exp(-x)): exp's error and two roundings
  double hyperbolic = 3;  // and their inverses
  double softplus = 4;    // the errors of exp and of log1p, whose condition is at most 1
  double gelu = 6;        // beside what cancels
};
inline constexpr Ulps kUlps;

// The format in which engines compute what they round to f: its range is that of what stands
// between the steps of an op.
constexpr const FloatFormat& Inside(const FloatFormat& f) {
  return f.precision < kF32Format.precision ? kF32Format : f;
}

// Exponent of the lowest set bit of a finite v != 0: v is a multiple of 2^Granule(v).
inline int Granule(double v) {
  const auto bits = std::bit_cast<uint64_t>(v);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  const uint64_t mantissa = bits & ((uint64_t{1} << 52) - 1);
  if (exponent == 0) return -1074 + std::countr_zero(mantissa);
  return exponent - 1075 + std::countr_zero(mantissa | uint64_t{1} << 52);
}

// The rounded result r with a bound for `propagated`, the effect of the operands' bounds, and for
// `roundings` errors of one unit each.
inline Number Bounded(double r, double propagated, double roundings, const FloatFormat& f) {
  const double e = propagated + roundings * f.unit * (std::fabs(r) + propagated);
  // What may lie beyond the format may be infinite.
  if (!(std::fabs(r) + e <= f.largest)) return {r, kUnknown};
  // 2 f.tiny for roundings among subnormal numbers, 1e-9 for the arithmetic of bounds itself.
  return {r, (e + 2 * f.tiny) * (1 + 1e-9)};
}

// Whether the two may be equal, also where their difference leaves the format.
inline bool MayBeEqual(Number x, Number y) {
  const double error = x.e + y.e;
  return error == 0 ? x.v == y.v : !(std::fabs(x.v - y.v) > error);
}

// A NaN or infinite result: exact if it `follows`, that is, if an operand was NaN or infinite and
// none is unknown.
inline Number NonFinite(double r, bool follows) { return {r, follows ? 0 : kUnknown}; }

// Whether a is infinite for certain, with a known sign.
inline bool IsInfinity(Number a) { return std::isinf(a.v) && a.e == 0; }
inline Number Negated(Number a) { return {-a.v, a.e}; }  // also of either sign
Number Add(Number a, Number b, const FloatFormat& f);
inline Number Subtract(Number a, Number b, const FloatFormat& f) { return Add(a, Negated(b), f); }
Number Multiply(Number a, Number b, const FloatFormat& f);
Number Divide(Number a, Number b, const FloatFormat& f);
// The same, of infinities of either sign too.
Number Product(Number a, Number b, const FloatFormat& f);
Number Quotient(Number a, Number b, const FloatFormat& f);
// r = a b or, if `sums`, a + b, where engines may multiply out and regroup the whole expression:
// then each rounds terms that here cancel or never arise. Exact only where numbers are so short
// that no grouping rounds. With `may_underflow` what a group of factors loses below the format, the
// others may multiply.
Number Regrouped(Number r, Number a, Number b, bool sums, bool may_underflow, const FloatFormat& f);
Number Power(Number a, Number b, const FloatFormat& f);
Number Exp(Number a, const FloatFormat& f);
Number Log(Number a, const FloatFormat& f);
Number Sqrt(Number a, const FloatFormat& f);
Number Sin(Number a, const FloatFormat& f);
Number Cos(Number a, const FloatFormat& f);
Number Tanh(Number a, const FloatFormat& f);
Number Sigmoid(Number a, const FloatFormat& f);
// numbers_functions.cc
Number Tan(Number a, const FloatFormat& f);
Number Asin(Number a, const FloatFormat& f);
Number Acos(Number a, const FloatFormat& f);
Number Atan(Number a, const FloatFormat& f);
Number Sinh(Number a, const FloatFormat& f);
Number Cosh(Number a, const FloatFormat& f);
Number Asinh(Number a, const FloatFormat& f);
Number Acosh(Number a, const FloatFormat& f);
Number Atanh(Number a, const FloatFormat& f);
Number Erf(Number a, const FloatFormat& f);
Number Erfc(Number a, const FloatFormat& f);
Number Expm1(Number a, const FloatFormat& f);
Number Log1p(Number a, const FloatFormat& f);
Number Log2(Number a, const FloatFormat& f);
Number Log10(Number a, const FloatFormat& f);
Number Exp2(Number a, const FloatFormat& f);
Number Rsqrt(Number a, const FloatFormat& f);
Number Reciprocal(Number a, const FloatFormat& f);
Number Square(Number a, const FloatFormat& f);
Number Silu(Number a, const FloatFormat& f);
Number Softplus(Number a, const FloatFormat& f);
Number Gelu(Number a, const FloatFormat& f);
Number GeluTanh(Number a, const FloatFormat& f);
Number LogAddExp(Number a, Number b, const FloatFormat& f);
Number Atan2(Number a, Number b, const FloatFormat& f);
Number XLogY(Number a, Number b, const FloatFormat& f);
// numbers_modulo.cc
Number Fmod(Number a, Number b, const FloatFormat& f);
Number Remainder(Number a, Number b, const FloatFormat& f);
// a / b without its fraction or, if `floors`, the greatest whole number up to it, in double.
// kUnknown where the bounds leave more than one open.
Number WholeQuotient(Number a, Number b, bool floors);
// numbers.cc
Number Relu(Number a);
Number Abs(Number a);
Number Maximum(Number a, Number b);
Number Minimum(Number a, Number b);
Number Sign(Number a);

// A floating value in another format.
Number Converted(Number a, const FloatFormat& f);
// The integer of the type `to` that a float becomes: truncated, saturated, NaN to 0; kUnknown when
// the bound crosses an integer boundary.
Number Truncated(Number a, DType to, int64_t* result);
// An integer as a float.
Number FromInteger(int64_t a, const FloatFormat& f);

// A sum in unspecified order. Its value is the left fold.
class SumInAnyOrder {
 public:
  explicit SumInAnyOrder(const FloatFormat& format) : format_(format) {}
  void Add(Number x);
  Number Total() const;

 private:
  const FloatFormat& format_;
  double sum_ = 0;
  double magnitude_ = 0;  // of the finite terms
  double error_ = 0;
  int granule_ = std::numeric_limits<int>::max();
  int64_t count_ = 0;
  bool finite_ = true;
};

}  // namespace twingrad::reference
