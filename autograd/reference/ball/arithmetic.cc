// Sums, products, quotients and functions of Elements.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <arf.h>
#include <flint/fmpz.h>

#include "absl/types/span.h"
#include "autograd/reference/ball/element.h"

namespace twingrad::reference::ball {
namespace {

uint64_t Wrap(Ref a) { return static_cast<uint64_t>(a->integer); }

// The least exponent of a bit of the number and the exponent above its greatest.
bool BitsOf(const Real& a, slong* low, slong* high) {
  if (!a.IsPoint()) return false;
  if (a.IsZero()) return true;
  fmpz_t mantissa, exponent;
  fmpz_init(mantissa);
  fmpz_init(exponent);
  arf_get_fmpz_2exp(mantissa, exponent, arb_midref(a.get()));
  const bool small = fmpz_fits_si(exponent) != 0;
  if (small) {
    *low = std::min(*low, fmpz_get_si(exponent));
    *high = std::max(*high, fmpz_get_si(exponent) + static_cast<slong>(fmpz_bits(mantissa)));
  }
  fmpz_clear(mantissa);
  fmpz_clear(exponent);
  return small;
}

constexpr slong kFar = 1 << 20;

int64_t GreatestOf(bool is_short) {
  return is_short ? std::numeric_limits<int32_t>::max() : std::numeric_limits<int64_t>::max();
}

}  // namespace

bool AddsExactly(const std::vector<const Real*>& terms, const FloatFormat& format) {
  slong low = kFar, high = -kFar;
  for (const Real* term : terms) {
    if (!BitsOf(*term, &low, &high)) return false;
  }
  if (low == kFar) return true;
  slong more = 0;
  while ((size_t{1} << more) < terms.size()) ++more;
  return high + more - low <= format.precision && low >= LeastExponent(format) &&
         high + more <= GreatestExponent(format) + 1;
}

bool IsRepresentable(const Real& a, const FloatFormat& format) { return AddsExactly({&a}, format); }

Ref Arithmetic::WithSlope(Ref number, Ref slope) {
  if (number == slope || (slope == nullptr && number->slope.IsConstant())) return number;
  Element out{number->value, number->run, {}, number->integer, number->known};
  if (slope != nullptr) out.slope = slope->slope;
  return Keep(std::move(out));
}

Ref Arithmetic::WithVariable(Ref a, int32_t variable, double coefficient) {
  SeriesSum sum(budget_);
  sum.Limit(order_);
  sum.Add(a->slope);
  sum.AddTerm(OfVariable(variable), Real(coefficient));
  return Keep({a->value, a->run, sum.Take()});
}

Ref Arithmetic::WithScaledSlope(Ref a, double factor) {
  if (a->slope.IsConstant() || factor == 1) return a;
  SeriesSum sum(budget_);
  sum.Add(a->slope, Real(factor));
  return Keep({a->value, a->run, sum.Take()});
}

Ref Arithmetic::WithUnknownSlope(Ref a, const Series& also) {
  SeriesSum sum(budget_);
  sum.Add(a->slope);
  sum.Add(also);
  return Keep({a->value, a->run, UnknownLike(budget_, sum.Take())});
}

void Arithmetic::Round(Element& element, DType type, double units, double magnitude,
                       bool lossless) {
  if (units == kInSteps || !IsFloating(type)) return;
  const FloatFormat& format = FormatOf(type);
  if (lossless && element.run.IsPoint() && IsRepresentable(element.run, format)) return;
  magnitude = std::fmax(magnitude, element.run.Magnitude());
  if (!element.value.IsKnown() || magnitude >= BeginOfEnd(format)) {
    element.value = element.run = Real::Unknown();
    element.slope = UnknownLike(budget_, element.slope);
    return;
  }
  element.run.Widen((units * format.unit * magnitude) * (1 + 0x1p-20) + format.tiny);
}

Ref Arithmetic::Rounded(Ref a, DType type, double units, double magnitude) {
  Element out = *a;
  Round(out, type, units, magnitude);
  return Keep(std::move(out));
}

Ref Arithmetic::Subtract(Ref a, Ref b, DType type, double units) {
  if (!IsFloating(type)) {
    if (!a->known || !b->known) return UnknownInteger();
    return Integer(static_cast<int64_t>(Wrap(a) - Wrap(b)));
  }
  return Sum({a, Negate(b, type)}, type, 1, units);
}

Ref Arithmetic::Negate(Ref a, DType type) {
  if (!IsFloating(type)) {
    return a->known ? Integer(static_cast<int64_t>(0 - Wrap(a))) : UnknownInteger();
  }
  SeriesSum slope(budget_);
  slope.Add(a->slope, Real(-1.0));
  return Keep({-a->value, -a->run, slope.Take()});
}

Ref Arithmetic::Multiply(Ref a, Ref b, DType type, double units) {
  if (!IsFloating(type)) {
    if (!a->known || !b->known) return UnknownInteger();
    return Integer(static_cast<int64_t>(Wrap(a) * Wrap(b)));
  }
  SeriesSum slope(budget_);
  slope.Add(a->slope, b->value);
  slope.Add(b->slope, a->value);
  slope.AddProduct(a->slope, b->slope);
  Element out{a->value * b->value, a->run * b->run, slope.Take()};
  Round(out, type, units);
  return Keep(std::move(out));
}

// The series d of q = a / b solves d = (da - q db - d db) / b, of which each step settles one
// degree more.
Ref Arithmetic::Divide(Ref a, Ref b, DType type, double units) {
  const Real minus_one(-1.0), inverse = Real(1.0) / b->value;
  Element out{a->value / b->value, a->run / b->run, {}};
  const auto over_b = [&](Series series) {
    for (Term& term : series.terms) term.coefficient = term.coefficient / b->value;
    return series;
  };
  const int order = std::min(a->slope.order, b->slope.order);
  for (int degree = 1; degree <= order; ++degree) {
    SeriesSum next(budget_);
    next.Add(a->slope);
    next.Add(b->slope, -out.value);
    SeriesSum product(budget_);
    product.AddProduct(out.slope, b->slope);
    next.Add(product.Take(), minus_one);
    next.Limit(degree);
    Series series = over_b(next.Take());
    series.order = order;
    out.slope = std::move(series);
    if (b->slope.IsConstant()) {
      out.slope = over_b(a->slope);
      break;
    }
  }
  Round(out, type, units);
  return Keep(std::move(out));
}

Ref Arithmetic::Apply(Function function, Ref a, DType type, double units) {
  const int order = a->slope.IsConstant() ? 0 : std::min(order_, a->slope.order);
  const Taylor f = TaylorOf(function, a->value, order);
  const bool same = a->value.IsPoint() && a->run.IsPoint();
  Element out{f[0], same ? f[0] : TaylorOf(function, a->run, 0)[0], Compose(budget_, f, a->slope)};
  Round(out, type, units);
  return Keep(std::move(out));
}

Ref Arithmetic::Sum(const Refs& terms, DType type, int64_t divisor, double units) {
  if (!IsFloating(type)) {
    uint64_t sum = 0;
    for (Ref term : terms) {
      if (!term->known) return UnknownInteger();
      sum += Wrap(term);
    }
    return Integer(static_cast<int64_t>(sum));
  }
  Element out;
  SeriesSum slope(budget_);
  std::vector<const Real*> runs;
  double magnitude = 0;
  for (Ref term : terms) {
    out.value = out.value + term->value;
    out.run = out.run + term->run;
    slope.Add(term->slope);
    runs.push_back(&term->run);
    magnitude += term->run.Magnitude();
  }
  out.slope = slope.Take();
  const bool lossless = AddsExactly(runs, FormatOf(type));
  if (divisor != 1) {
    const Real by = Real::OfInteger(divisor);
    out.value = out.value / by;
    out.run = out.run / by;
    magnitude /= static_cast<double>(divisor);
    for (Term& term : out.slope.terms) term.coefficient = term.coefficient / by;
  }
  const double steps = static_cast<double>(terms.size()) + (divisor == 1 ? -1 : 2);
  Round(out, type, units == kInSteps ? kInSteps : std::fmax(steps, 0), magnitude, lossless);
  return Keep(std::move(out));
}

Ref Arithmetic::Product(const Refs& factors, DType type) {
  Ref product = IsFloating(type) ? Point(1) : Integer(1);
  for (Ref factor : factors) product = Multiply(product, factor, type);
  if (factors.size() < 3 || !IsFloating(type)) return product;
  return Rounded(product, type, static_cast<double>(factors.size()));
}

Ref Arithmetic::SumOfProducts(absl::Span<const std::pair<Ref, Ref>> products, Ref start,
                              DType type) {
  Refs terms;
  if (start != nullptr) terms.push_back(start);
  for (const auto& [a, b] : products) terms.push_back(Multiply(a, b, type));
  if (terms.empty()) return Zero(type);
  return terms.size() == 1 ? terms[0] : Sum(terms, type);
}

Ref Arithmetic::Cast(Ref a, DType from, DType to) {
  if (IsFloating(from) && IsFloating(to)) {
    const FloatFormat &old = FormatOf(from), &format = FormatOf(to);
    const bool widens = old.precision <= format.precision &&
                        LeastExponent(old) >= LeastExponent(format) &&
                        GreatestExponent(old) <= GreatestExponent(format);
    if (widens) return a;
    // The rounding is the run's. It may be one to f32 and another from there.
    Element out{a->value, a->run.RoundedTo(format), a->slope};
    if (format.precision < kF32Format.precision && old.precision > kF32Format.precision) {
      out.run = Hull(out.run, a->run.RoundedTo(kF32Format).RoundedTo(format));
    }
    Round(out, to, 0);
    return Keep(std::move(out));
  }
  if (IsFloating(to)) {
    if (!a->known) return UnknownPoint();
    const Real rounded = Real::OfInteger(a->integer).RoundedTo(FormatOf(to));
    return Keep({rounded, rounded, {}});
  }
  if (!IsFloating(from)) {
    if (!a->known) return UnknownInteger();
    return to == DType::kBool ? Integer(a->integer != 0 ? 1 : 0) : a;
  }
  if (!a->run.IsKnown()) return UnknownInteger();
  if (to == DType::kBool) {
    if (a->run.IsZero()) return Integer(0);
    return a->run.IsPositive() || a->run.IsNegative() ? Integer(1) : UnknownInteger();
  }
  const bool is_short = to == DType::kI32;
  const double limit = is_short ? 0x1p31 : 0x1p63;
  arf_t end;
  arf_init(end);
  int64_t whole[2];
  for (const bool upper : {false, true}) {
    upper ? arb_get_ubound_arf(end, a->run.get(), kBits)
          : arb_get_lbound_arf(end, a->run.get(), kBits);
    const double outside = arf_get_d(end, ARF_RND_DOWN);  // towards zero
    whole[upper] = outside >= limit    ? GreatestOf(is_short)
                   : outside <= -limit ? -GreatestOf(is_short) - 1
                                       : arf_get_si(end, ARF_RND_DOWN);
  }
  arf_clear(end);
  return whole[0] == whole[1] ? Integer(whole[0]) : UnknownInteger();
}

}  // namespace twingrad::reference::ball
