// Adding contributions in order. See ordered_slot.h.

#include "autograd/engine/ordered_slot.h"

#include <utility>

#include "autograd/base/check.h"

namespace twingrad {

void OrderedSlot::Put(uint32_t ordinal, Contribution contribution) {
  AG_CHECK(ordinal < expected_ && ordinal >= next_, "[engine] contribution ", ordinal,
           " to a slot that expects ", next_, " to ", expected_);
  if (ordinal == next_ && !folding_) {
    next_contribution_ = std::move(contribution);
    next_is_here_ = true;
    return;
  }
  if (parked_.empty()) parked_.resize(expected_);
  parked_[ordinal] = {true, std::move(contribution)};
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
