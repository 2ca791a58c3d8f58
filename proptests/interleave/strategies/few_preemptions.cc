#include "proptests/interleave/strategies/few_preemptions.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace twingrad::interleave {

FewPreemptions::FewPreemptions(int preemptions, int length)
    : preemptions_(preemptions), length_(std::max(1, length)), random_(0) {}

void FewPreemptions::Begin(uint64_t seed) {
  random_ = SplitMix(seed);
  asked_ = 0;
  places_.clear();
  for (int i = 0; i < preemptions_; ++i) places_.push_back(random_.Below(length_));
}

int FewPreemptions::Choose(const Question& question) {
  const bool is_thread = question.kind == DecisionKind::kThread;
  if (question.kind == DecisionKind::kWaiter || (is_thread && question.current < 0)) {
    return random_.Below(question.alternatives);
  }
  const bool deviates = std::find(places_.begin(), places_.end(), asked_++) != places_.end();
  if (!is_thread) return deviates ? 1 : 0;
  if (!deviates) return question.current;
  const int other = random_.Below(question.alternatives - 1);
  return other < question.current ? other : other + 1;
}

std::string FewPreemptions::name() const {
  return absl::StrCat("few_preemptions:", preemptions_, ",length=", length_);
}

}  // namespace twingrad::interleave
