#include "proptests/interleave/strategies/mixed_strategy.h"

namespace twingrad::interleave {

void MixedStrategy::Begin(uint64_t seed) {
  // Not the remainder of the seed itself: pct takes its depth from that.
  const uint64_t mixed = (seed * 0x9e3779b97f4a7c15u) >> 32;
  turn_ = strategies_[mixed % strategies_.size()].get();
  turn_->Begin(seed);
}

}  // namespace twingrad::interleave
