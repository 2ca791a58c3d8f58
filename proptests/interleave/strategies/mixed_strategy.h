// MixedStrategy: random, starve and pct in turns, each schedule by the one that its seed picks.
//
// None of the three is best everywhere, and each is poor at something: what one takes thousands of
// schedules to find another finds in tens. In turns the cost is at most about three times that of
// the best, for any defect.
#ifndef PROPTESTS_INTERLEAVE_STRATEGIES_MIXED_STRATEGY_H_
#define PROPTESTS_INTERLEAVE_STRATEGIES_MIXED_STRATEGY_H_

#include <array>
#include <cstdint>
#include <string>

#include "proptests/interleave/strategies/pct_strategy.h"
#include "proptests/interleave/strategies/random_strategy.h"
#include "proptests/interleave/strategies/starve_strategy.h"
#include "proptests/interleave/strategies/strategy.h"

namespace twingrad::interleave {

class MixedStrategy final : public Strategy {
 public:
  MixedStrategy() = default;
  MixedStrategy(const MixedStrategy&) = delete;
  MixedStrategy& operator=(const MixedStrategy&) = delete;

  void Begin(uint64_t seed) override;
  int Choose(const Question& question) override { return turn_->Choose(question); }
  // That of the strategy whose turn it is: made anew from it, that one repeats the execution.
  std::string name() const override { return turn_->name(); }

 private:
  RandomStrategy random_;
  StarveStrategy starve_;
  PctStrategy pct_;
  const std::array<Strategy*, 3> strategies_ = {&random_, &starve_, &pct_};
  Strategy* turn_ = &random_;
};

}  // namespace twingrad::interleave

#endif  // PROPTESTS_INTERLEAVE_STRATEGIES_MIXED_STRATEGY_H_
