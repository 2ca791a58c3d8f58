#include "proptests/interleave/strategies/forced_strategy.h"

#include "absl/strings/str_cat.h"
#include "proptests/interleave/strategies/thread_set.h"

namespace twingrad::interleave {

std::vector<ForcedChoice> ForcedChoicesOf(const Trace& trace) {
  std::vector<ForcedChoice> choices;
  for (const Decision& decision : trace) {
    if (decision.chosen == DefaultChoice(decision.kind, decision.current)) continue;
    const int chosen =
        IsOfSet(decision.kind) ? ThreadAt(decision.runnable, decision.chosen) : decision.chosen;
    choices.push_back({decision.kind, decision.thread, decision.step, chosen});
  }
  return choices;
}

int PreemptionsOf(const Trace& trace) {
  return static_cast<int>(std::ranges::count_if(trace, [](const Decision& decision) {
    return decision.kind == DecisionKind::kThread && decision.current >= 0 &&
           decision.chosen != decision.current;
  }));
}

ForcedStrategy::ForcedStrategy(const std::vector<ForcedChoice>& choices) {
  for (const ForcedChoice& choice : choices) {
    choices_[{choice.kind, choice.thread, choice.step}] = choice.chosen;
    if (OfMemory(choice.kind)) memory_ = Memory::kBuffered;
  }
}

int ForcedStrategy::Choose(const Question& question) {
  const int by_default = DefaultChoice(question.kind, question.current);
  const auto forced = choices_.find({question.kind, question.thread, question.step});
  if (forced == choices_.end()) return by_default;
  const int chosen = forced->second;
  if (!IsOfSet(question.kind)) {
    return chosen < question.alternatives ? chosen : by_default;
  }
  if ((question.runnable & Bit(chosen)) == 0) return by_default;
  return PlaceOf(question.runnable, chosen);
}

void FewPreemptions::Begin(uint64_t seed) {
  random_ = SplitMix(seed);
  asked_ = 0;
  places_.clear();
  for (int i = 0; i < preemptions_; ++i) places_.push_back(random_.Below(length_));
}

int FewPreemptions::Choose(const Question& question) {
  const bool is_of_set = IsOfSet(question.kind);
  if (question.kind == DecisionKind::kWaiter || question.kind == DecisionKind::kSetting ||
      (is_of_set && question.current < 0)) {
    return random_.Below(question.alternatives);
  }
  const bool departs = std::ranges::find(places_, asked_++) != places_.end();
  if (!is_of_set) return departs ? 1 : 0;
  return departs ? random_.OtherThan(question.current, question.alternatives) : question.current;
}

std::string FewPreemptions::name() const {
  return absl::StrCat("few_preemptions:", preemptions_, ",length=", length_);
}

}  // namespace twingrad::interleave
