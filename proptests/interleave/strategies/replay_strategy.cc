#include "proptests/interleave/strategies/replay_strategy.h"

#include "absl/strings/str_cat.h"

namespace twingrad::interleave {

void ReplayStrategy::Begin(uint64_t /*seed*/) {
  next_ = 0;
  error_.clear();
  expected_site_ = 0;
}

std::string ReplayStrategy::LeftOver() const {
  const Decision& next = trace_.at(next_);
  return absl::StrCat("[interleave] the execution ended after ", next_, " of ", trace_.size(),
                      " recorded decisions; recorded next is ", DecisionName(next.kind), " of ",
                      next.alternatives, " at site ", absl::Hex(next.site));
}

int ReplayStrategy::Choose(const Question& question) {
  if (!error_.empty()) return 0;
  if (next_ == trace_.size()) {
    if (goes_on_) return DefaultChoice(question.kind, question.current);
    error_ = absl::StrCat("[interleave] the recorded schedule ends after ", trace_.size(),
                          " decisions, but the execution asks for another (",
                          DecisionName(question.kind), " of ", question.alternatives, ")");
    return 0;
  }
  const Decision& recorded = trace_[next_];
  if (recorded.kind != question.kind || recorded.alternatives != question.alternatives ||
      (recorded.site != 0 && recorded.site != question.site)) {
    error_ = absl::StrCat("[interleave] diverged at decision ", next_, ": recorded ",
                          DecisionName(recorded.kind), " of ", recorded.alternatives, " at site ",
                          absl::Hex(recorded.site), ", the execution asks for ",
                          DecisionName(question.kind), " of ", question.alternatives, " at site ",
                          absl::Hex(question.site));
    expected_site_ = recorded.site;
    return 0;
  }
  ++next_;
  return recorded.chosen;
}

}  // namespace twingrad::interleave
