// Which variables enter operations with slopes that leave traces in reverse mode: infinite ones,
// those that are no number, and 0.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "autograd/reference/partials.h"
#include "autograd/reference/tangents.h"

namespace twingrad::reference {
namespace {

bool IsKnown(Number x) { return std::isfinite(x.v) && std::isfinite(x.e); }

}  // namespace

int TangentAlgebra::Singular(int32_t variable) const {
  return static_cast<int>(
      std::count_if(singular_.begin(), singular_.end(), [variable](const auto& interval) {
        return variable >= interval.first && variable < interval.second;
      }));
}

bool TangentAlgebra::Zeroed(int32_t variable) const {
  return std::any_of(zeroed_.begin(), zeroed_.end(), [variable](const auto& interval) {
    return variable >= interval.first && variable < interval.second;
  });
}

void TangentAlgebra::NoteSingular(const Tangents* operand, Number slope, bool flat,
                                  Number curvature, Number mixed) {
  if (operand == nullptr) return;
  const std::pair<int32_t, int32_t> interval(operand->begin, operand->end);
  if (IsExactly(slope, 0) && !flat && (zeroed_.empty() || zeroed_.back() != interval)) {
    zeroed_.push_back(interval);
  }
  if (IsKnown(slope) && (order_ < 2 || (IsKnown(curvature) && IsKnown(mixed)))) return;
  // Once, or several times.
  const size_t count = singular_.size();
  if (count >= 2 && singular_[count - 1] == interval && singular_[count - 2] == interval) return;
  singular_.push_back(interval);
}

}  // namespace twingrad::reference
