// Numbers that engines may add up, multiply and regroup in any order.

#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/reference/numbers.h"

namespace twingrad::reference {

Number Regrouped(Number r, Number a, Number b, bool sums, bool may_underflow,
                 const FloatFormat& f) {
  if (!std::isfinite(r.v) || r.e == kUnknown) return r;
  const auto size = [](Number x) { return std::fmax(1, std::fabs(x.v)); };
  if (may_underflow && !sums) {
    r.e += a.e * size(b) + b.e * size(a) + 4 * f.tiny * size(a) * size(b);
  }
  const double mass = sums ? std::fabs(a.v) + std::fabs(b.v) : std::fabs(r.v);
  // Of at most a third of the format's digits: a product of three of these fits.
  const auto is_short = [&f](double low, double high) {
    return high <= std::ldexp(1.0, Granule(low) + f.precision / 3);
  };
  const auto lower = [](double x, double y) { return Granule(x) < Granule(y) ? x : y; };
  const bool short_terms = a.v == 0 || b.v == 0 ||
                           (sums ? is_short(lower(a.v, b.v), mass)
                                 : is_short(a.v, std::fabs(a.v)) && is_short(b.v, std::fabs(b.v)));
  if (r.e == 0 && short_terms) return r;
  r.e += 4 * f.unit * mass + 2 * f.tiny;
  return r.e < kUnknown ? r : Number{r.v, kUnknown};
}

void SumInAnyOrder::Add(Number x) {
  sum_ = count_ == 0 ? x.v : Rounded(sum_ + x.v, format_);
  ++count_;
  error_ += x.e;
  if (!std::isfinite(x.v)) {
    finite_ = false;
  } else if (x.v != 0) {
    magnitude_ += std::fabs(x.v);
    if (x.e == 0) granule_ = std::min(granule_, Granule(x.v));
  }
}

Number SumInAnyOrder::Total() const {
  if (count_ <= 1) return {sum_, error_};
  if (!(magnitude_ + error_ < format_.largest / 2)) return {sum_, kUnknown};
  if (!finite_) return {sum_, 0};
  // All terms, and so all partial sums, are multiples of 2^granule, and have a place in the format
  // as long as the sum of magnitudes does.
  // Less, not equal: that may be what rounding has left of more.
  if (error_ == 0 &&
      (magnitude_ == 0 || magnitude_ < std::ldexp(1.0, format_.precision + granule_))) {
    return {sum_, 0};
  }
  // n - 2 additions, each of at most the sum of magnitudes, and the last, which gives the total.
  const double roundings = static_cast<double>(count_ - 2) * format_.unit * (1 + 1e-6);
  const double before = error_ + roundings * (magnitude_ + error_);
  const double last = format_.unit * (1 + 1e-6) * (std::fabs(sum_) + 2 * before);
  return {sum_, (before + last + format_.tiny) * (1 + 1e-9)};
}

}  // namespace twingrad::reference
