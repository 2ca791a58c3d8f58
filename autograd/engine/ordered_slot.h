// OrderedSlot: the gradient of one input in a run of several threads.
//
// It expects a known number of contributions and adds them in their canonical order, in whatever
// order they arrive. It adds each prefix as soon as the prefix is complete and parks contributions
// that come early: at worst all but one, which is the price of results that do not depend on
// timing. One thread at a time adds, outside the lock of the run. The slot has no lock of its own:
// all members are called under the run's.

#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "autograd/engine/gradient_streams.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

// What one edge delivered. An undefined value also counts as a contribution.
struct Contribution {
  Tensor value;
  // The producer among the task's states; nodes made for the sum belong to its rank.
  uint32_t producer = 0;
  uint32_t output_nr = 0;
  // Where the value is ready, in calls with nodes on devices.
  GradientStreams::Arrival arrival = {};
};

class OrderedSlot {
 public:
  // `added` of the expected contributions are in `sum` already.
  explicit OrderedSlot(uint32_t expected = 0, uint32_t added = 0, Tensor sum = Tensor())
      : sum_(std::move(sum)), expected_(expected), next_(added) {}

  // False if it expects no such contribution, or has it: somebody changed the graph.
  [[nodiscard]] bool Put(uint32_t ordinal, Contribution contribution);
  // If the next contribution has arrived and no thread is adding, hands out the sum so far and that
  // contribution; EndFold must follow.
  bool BeginFold(Tensor& sum, Contribution& next);
  void EndFold(Tensor sum);

  uint32_t expected() const { return expected_; }
  uint32_t added() const { return next_; }
  // Contributions that have arrived, including those being added or parked.
  uint32_t Received() const {
    uint32_t received = next_ + (folding_ ? 1 : 0) + (next_is_here_ ? 1 : 0);
    for (const Place& place : parked_) received += place.is_here ? 1 : 0;
    return received;
  }
  bool IsComplete() const { return next_ == expected_ && !folding_; }
  // What has been added so far; undefined while a thread is adding.
  const Tensor& sum() const { return sum_; }
  // Of a complete slot.
  Tensor TakeSum() { return std::move(sum_); }

 private:
  struct Place {
    bool is_here = false;
    Contribution contribution;
  };

  Tensor sum_;
  uint32_t expected_;
  uint32_t next_;  // the ordinal to be added next
  bool folding_ = false;
  bool next_is_here_ = false;  // in next_contribution_
  Contribution next_contribution_;
  std::vector<Place> parked_;  // by ordinal; empty until something comes early
};

}  // namespace twingrad
