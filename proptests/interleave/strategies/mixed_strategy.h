// MixedStrategy: takes several strategies in turns; the seed of a schedule picks the strategy.
//
// No strategy is best everywhere: a defect that costs one strategy thousands of schedules may cost
// another only tens. With n strategies in turns, any defect costs at most about n times what the
// best of them needs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "proptests/interleave/strategies/strategy.h"

namespace twingrad::interleave {

class MixedStrategy final : public Strategy {
 public:
  // `strategies` must not be empty.
  explicit MixedStrategy(std::vector<std::unique_ptr<Strategy>> strategies)
      : strategies_(std::move(strategies)), turn_(strategies_.front().get()) {}

  void Begin(uint64_t seed) override {
    // Not the remainder of the seed itself: pct takes its depth from that.
    const uint64_t mixed = (seed * 0x9e3779b97f4a7c15u) >> 32;
    turn_ = strategies_[mixed % strategies_.size()].get();
    turn_->Begin(seed);
  }
  int Choose(const Question& question) override { return turn_->Choose(question); }
  Memory memory() const override { return turn_->memory(); }
  // The name of the strategy whose turn it is: a strategy made from it repeats the execution.
  std::string name() const override { return turn_->name(); }

 private:
  const std::vector<std::unique_ptr<Strategy>> strategies_;
  Strategy* turn_;
};

}  // namespace twingrad::interleave
