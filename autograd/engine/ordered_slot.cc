// Adding contributions in order. See ordered_slot.h.

#include "autograd/engine/ordered_slot.h"

#include <utility>

namespace twingrad {

bool OrderedSlot::Put(uint32_t ordinal, Contribution contribution) {
  if (ordinal < next_ || ordinal >= expected_) [[unlikely]]
    return false;
  const bool is_parked = !parked_.empty() && parked_[ordinal].is_here;
  const bool is_next = ordinal == next_ && (folding_ || next_is_here_);
  if (is_parked || is_next) [[unlikely]]
    return false;
  if (ordinal == next_) {
    next_contribution_ = std::move(contribution);
    next_is_here_ = true;
    return true;
  }
  if (parked_.empty()) parked_.resize(expected_);
  parked_[ordinal] = {true, std::move(contribution)};
  return true;
}

bool OrderedSlot::BeginFold(Tensor& sum, Contribution& next) {
  if (folding_) return false;
  if (!next_is_here_) {
    if (parked_.empty() || next_ == expected_ || !parked_[next_].is_here) return false;
    next_contribution_ = std::move(parked_[next_].contribution);
    parked_[next_].is_here = false;
  }
  next_is_here_ = false;
  folding_ = true;
  sum = std::move(sum_);
  next = std::move(next_contribution_);
  return true;
}

void OrderedSlot::EndFold(Tensor sum) {
  sum_ = std::move(sum);
  folding_ = false;
  ++next_;
}

}  // namespace twingrad
