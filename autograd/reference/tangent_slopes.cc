// Slopes that leave traces in reverse mode: infinite ones, those that are no number, and 0. What
// they do to tangents, and which variables enter operations with them.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "autograd/reference/partials.h"
#include "autograd/reference/tangent_errors.h"
#include "autograd/reference/tangents.h"

namespace twingrad::reference {
namespace {

bool IsKnown(Number x) { return std::isfinite(x.v) && std::isfinite(x.e); }

bool IsAmong(int32_t variable, const std::vector<Interval>& intervals) {
  return std::any_of(intervals.begin(), intervals.end(),
                     [variable](const Interval& i) { return i.Contains(variable); });
}

void Note(const Interval& support, std::vector<Interval>& intervals) {
  if (support.begin == support.end) return;
  const bool meets = !intervals.empty() && support.begin <= intervals.back().end &&
                     intervals.back().begin <= support.end;
  if (meets) {
    intervals.back().Extend(support);
  } else {
    intervals.push_back(support);
  }
}

}  // namespace

// to[at] += factor * from[i] where one of them is infinite or no number. What does not depend on a
// variable stays so.
void TangentAlgebra::AddOdd(Tangents& to, int32_t at, const Tangents& from, int32_t i,
                            const Factor& factor) {
  const Number slope = factor.value;
  const bool is_finite = std::isfinite(slope.v);
  const double* source = from.FirstOf(i);
  double* target = to.FirstOf(at) + (from.begin - to.begin);
  const double error = from.first_error[i];
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const bool no_sign = !(std::fabs(slope.v) > slope.e);
  to.Extend(at, from.support[i]);
  for (int32_t j = 0; j < from.width(); ++j) {
    const int32_t variable = from.begin + j;
    const double x = source[j];
    const bool depends = (x != 0 || error != 0) && from.support[i].Contains(variable);
    if (!depends) {
      if (!is_finite && Zeroed(variable)) target[j] = nan;
    } else if (is_finite && std::isfinite(x)) {
      target[j] += slope.v * x;
    } else if (IsExactly(slope, 0) && factor.flat) {
      continue;
    } else if (no_sign || (std::isfinite(x) && !(std::fabs(x) > error))) {
      target[j] = nan;
    } else {
      target[j] += slope.v * x;
    }
    if (std::isfinite(target[j])) continue;
    to.odd[at] = 1;
    to.Extend(at, {variable, variable + 1});
  }
  if (from.odd[i] != 0 && is_finite) {
    to.first_magnitude[at] += Times(std::fabs(slope.v), from.first_magnitude[i]);
    to.first_error[at] = Up(to.first_error[at] + 2 * kUnitRoundoff * to.first_magnitude[at] +
                            ProductError(slope, from.first_magnitude[i], error));
  }
}

int TangentAlgebra::Singular(int32_t variable) const {
  const bool may_hide = Zeroed(variable) || IsAmong(variable, masked_);
  return static_cast<int>(
      std::count_if(singular_.begin(), singular_.end(), [&](const SingularElement& element) {
        return element.support.Contains(variable) || (may_hide && element.all.Contains(variable));
      }));
}

bool TangentAlgebra::Zeroed(int32_t variable) const { return IsAmong(variable, zeroed_); }

void TangentAlgebra::NoteSingular(const Tangents* operand, int32_t i, Number slope, bool flat,
                                  Number curvature, Number mixed) {
  if (operand == nullptr) return;
  const Interval& support = operand->support[i];
  if (IsExactly(slope, 0)) Note(support, flat ? masked_ : zeroed_);
  if (IsKnown(slope) && (order_ < 2 || (IsKnown(curvature) && IsKnown(mixed)))) return;
  singular_.push_back({support, {operand->begin, operand->end}});
}

}  // namespace twingrad::reference
