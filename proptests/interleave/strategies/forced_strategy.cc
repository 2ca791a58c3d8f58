// The default schedule and departures from it; see forced_strategy.h.
#include "proptests/interleave/strategies/forced_strategy.h"

#include <bit>

namespace twingrad::interleave {

namespace {

int StraightOn(DecisionKind kind, int current) {
  return kind == DecisionKind::kThread && current >= 0 ? current : 0;
}

int ThreadAt(uint64_t runnable, int index) {
  for (int i = 0; i < index; ++i) runnable &= runnable - 1;
  return std::countr_zero(runnable);
}

}  // namespace

std::vector<ForcedChoice> ForcedChoicesOf(const Trace& trace) {
  std::vector<ForcedChoice> choices;
  for (const Decision& decision : trace) {
    if (decision.chosen == StraightOn(decision.kind, decision.current)) continue;
    const int chosen = decision.kind == DecisionKind::kThread
                           ? ThreadAt(decision.runnable, decision.chosen)
                           : decision.chosen;
    choices.push_back({decision.kind, decision.thread, decision.step, chosen});
  }
  return choices;
}

int PreemptionsOf(const Trace& trace) {
  int preemptions = 0;
  for (const Decision& decision : trace) {
    const bool could_stay = decision.kind == DecisionKind::kThread && decision.current >= 0;
    if (could_stay && decision.chosen != decision.current) ++preemptions;
  }
  return preemptions;
}

ForcedStrategy::ForcedStrategy(const std::vector<ForcedChoice>& choices) {
  for (const ForcedChoice& choice : choices) {
    choices_[{choice.kind, choice.thread, choice.step}] = choice.chosen;
  }
}

int ForcedStrategy::Choose(const Question& question) {
  const int straight_on = StraightOn(question.kind, question.current);
  const auto forced = choices_.find({question.kind, question.thread, question.step});
  if (forced == choices_.end()) return straight_on;
  const int chosen = forced->second;
  if (question.kind != DecisionKind::kThread) {
    return chosen < question.alternatives ? chosen : straight_on;
  }
  const uint64_t bit = uint64_t{1} << chosen;
  if ((question.runnable & bit) == 0) return straight_on;
  return std::popcount(question.runnable & (bit - 1));
}

}  // namespace twingrad::interleave
