// Element: one number of a tensor as the witness knows it; Arithmetic: what statements do to them.
//
// Elements are immutable and live as long as the Arithmetic that made them, so that views, joins
// and picks move pointers. A floating one holds the exact number, the numbers that a run in the
// element type may have in its place, and its series. Branches follow the run: where that leaves
// more than one open, the result is the hull of all of them.

#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "autograd/base/dtype.h"
#include "autograd/base/float_format.h"
#include "autograd/reference/ball/elementary.h"
#include "autograd/reference/ball/real.h"
#include "autograd/reference/ball/series.h"

namespace twingrad::reference::ball {

struct Element {
  Real value;
  Real run;
  Series slope;
  int64_t integer = 0;  // of an integer or bool type
  bool known = true;    // whether `integer` is
};
using Ref = const Element*;
using Refs = std::vector<Ref>;

// Roundings of a run, in halves of a unit in the last place; kInSteps: the result is a step on the
// way to one, and is not rounded.
inline constexpr double kInSteps = -1;

class Arithmetic {
 public:
  Arithmetic(int order, size_t budget) : order_(order), budget_(budget) {}

  int order() const { return order_; }
  Budget& budget() { return budget_; }

  Ref Point(double exact) { return Keep({Real(exact), Real(exact), {}}); }
  Ref Integer(int64_t integer) { return Keep({{}, {}, {}, integer}); }
  Ref UnknownInteger() { return Keep({{}, {}, {}, 0, false}); }
  Ref UnknownPoint() { return Keep({Real::Unknown(), Real::Unknown(), {}}); }
  Ref Zero(DType type) { return IsFloating(type) ? Point(0) : Integer(0); }
  Ref UnknownOf(DType type) { return IsFloating(type) ? UnknownPoint() : UnknownInteger(); }
  Ref Keep(Element element) { return &pool_.emplace_back(std::move(element)); }

  // The number of one, the series of another; of none: null.
  Ref WithSlope(Ref number, Ref slope);
  Ref WithoutSlope(Ref a) { return WithSlope(a, nullptr); }
  // Plus a variable with this coefficient.
  Ref WithVariable(Ref a, int32_t variable, double coefficient);
  // Its series times a factor.
  Ref WithScaledSlope(Ref a, double factor);
  // All coefficients unknown, of these terms too.
  Ref WithUnknownSlope(Ref a, const Series& also);

  // arithmetic.cc
  Ref Add(Ref a, Ref b, DType type, double units = 1) { return Sum({a, b}, type, 1, units); }
  Ref Subtract(Ref a, Ref b, DType type, double units = 1);
  Ref Negate(Ref a, DType type);
  Ref Multiply(Ref a, Ref b, DType type, double units = 1);
  Ref Divide(Ref a, Ref b, DType type, double units = 1);
  // Of floats; `units` of the result.
  Ref Apply(Function function, Ref a, DType type, double units);
  // The sum over a divisor (1: none).
  Ref Sum(const Refs& terms, DType type, int64_t divisor = 1, double units = 1);
  Ref Product(const Refs& factors, DType type);
  // The sum of products, and `start` if there is one.
  Ref SumOfProducts(absl::Span<const std::pair<Ref, Ref>> products, Ref start, DType type);
  Ref Power(Ref a, Ref b, DType type);      // power.cc
  Ref LogAddExp(Ref a, Ref b, DType type);  // pairs.cc
  Ref Atan2(Ref a, Ref b, DType type);
  // fmod and, if it floors, remainder.
  Ref Modulo(Ref a, Ref b, bool floors, DType type);
  Ref Cast(Ref a, DType from, DType to);
  // Rounds the run of what was computed in steps: `units` halves of a last place of the number, or
  // of `magnitude` if that is greater.
  Ref Rounded(Ref a, DType type, double units, double magnitude = 0);

  // choices.cc
  Ref Relu(Ref a, DType type);
  Ref Abs(Ref a, DType type);
  Ref Sign(Ref a, DType type);
  Ref Extreme(const Refs& row, bool greatest, DType type);
  Ref IndexOfExtreme(const Refs& row, bool greatest, DType type);
  Ref Where(Ref condition, Ref a, Ref b);
  struct Sorted {
    Refs values;
    Refs indices;
  };
  Sorted Sort(const Refs& row, bool descending, DType type);
  // Any of these, each of which a run may have taken.
  Ref AnyOf(const Refs& candidates);

 private:
  // Those of the row that a run may take for the greatest or the least.
  std::vector<size_t> Candidates(const Refs& row, bool greatest, DType type);
  Sorted SortIntegers(const Refs& row, bool descending);
  // Widens the run by what rounding may add; makes what may overflow unknown.
  void Round(Element& element, DType type, double units, double magnitude = 0,
             bool lossless = true);

  int order_;
  Budget budget_;
  std::deque<Element> pool_;
};

// Whether every term is a multiple of one unit of which the sum of their magnitudes is at most 2^p,
// and no sum leaves the format: then no order of additions rounds.
bool AddsExactly(const std::vector<const Real*>& terms, const FloatFormat& format);
// Whether a run in the format holds exactly this number.
bool IsRepresentable(const Real& a, const FloatFormat& format);

}  // namespace twingrad::reference::ball
