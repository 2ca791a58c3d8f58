#include "proptests/interleave/strategies/random_strategy.h"

#include "absl/strings/str_cat.h"

namespace twingrad::interleave {

uint64_t SplitMix::Next() {
  state_ += 0x9e3779b97f4a7c15u;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

std::string RandomStrategy::name() const {
  return absl::StrCat("random:switch=", parameters_.switch_percent,
                      ",spurious=", parameters_.spurious_percent);
}

int RandomStrategy::Choose(const Question& question) {
  if (question.kind != DecisionKind::kThread) {
    return random_.NotAThread(question, parameters_.spurious_percent);
  }
  if (question.current < 0) return random_.Below(question.alternatives);
  if (random_.Below(100) >= parameters_.switch_percent) return question.current;
  return random_.OtherThan(question.current, question.alternatives);
}

}  // namespace twingrad::interleave
