// ForcedStrategy: follows the default schedule except for a few forced choices. Minimizing a
// schedule works on these choices.
//
// The default schedule: the running thread continues while it can, then the runnable thread that
// was started first; notify wakes the first waiter; nothing spurious happens. A forced choice
// departs from it at one step of one thread. Steps are counted per thread, so a choice keeps its
// meaning when others are dropped. A choice that no longer applies (its thread cannot continue) is
// ignored.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "proptests/interleave/strategies/strategy.h"

namespace twingrad::interleave {

struct ForcedChoice {
  DecisionKind kind = DecisionKind::kThread;
  int thread = 0;  // the deciding thread
  int step = 0;    // counted by that thread
  int chosen = 0;  // kThread: the thread that continues; else the alternative

  friend bool operator==(const ForcedChoice&, const ForcedChoice&) = default;
};

// The choices by which the trace departs from the default schedule.
std::vector<ForcedChoice> ForcedChoicesOf(const Trace& trace);
// How often a thread that could have continued was preempted.
int PreemptionsOf(const Trace& trace);

class ForcedStrategy final : public Strategy {
 public:
  explicit ForcedStrategy(const std::vector<ForcedChoice>& choices);

  void Begin(uint64_t) override {}  // the seed is not used
  int Choose(const Question& question) override;
  std::string name() const override { return "forced"; }

 private:
  using Place = std::tuple<DecisionKind, int, int>;

  std::map<Place, int> choices_;
};

}  // namespace twingrad::interleave
