// Random choices with a chance to stay; see random_strategy.h.
#include "proptests/interleave/strategies/random_strategy.h"

namespace twingrad::interleave {

uint64_t SplitMix::Next() {
  state_ += 0x9e3779b97f4a7c15u;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

std::string RandomStrategy::name() const {
  return "random:switch=" + std::to_string(parameters_.switch_percent) +
         ",spurious=" + std::to_string(parameters_.spurious_percent);
}

int RandomStrategy::Choose(const Question& question) {
  switch (question.kind) {
    case DecisionKind::kThread: {
      if (question.current < 0) return random_.Below(question.alternatives);
      if (random_.Below(100) >= parameters_.switch_percent) return question.current;
      const int other = random_.Below(question.alternatives - 1);
      return other < question.current ? other : other + 1;
    }
    case DecisionKind::kWaiter:
      return random_.Below(question.alternatives);
    case DecisionKind::kSpurious:
    case DecisionKind::kTimeout:
    case DecisionKind::kTryLock:
    case DecisionKind::kWeakFail:
      return random_.Below(100) < parameters_.spurious_percent ? 1 : 0;
  }
  return 0;
}

}  // namespace twingrad::interleave
