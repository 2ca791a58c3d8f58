// ForcedStrategy: goes straight on but for a few forced choices; what shrinking a schedule works
// on.
//
// The straight way: the running thread goes on while it can, then the one that was started first;
// the first waiter is woken, nothing happens without a reason. A forced choice departs from it at
// one step of one thread, counted by that thread alone, so that it keeps its meaning when others
// are left out. One that does not fit any more (its thread cannot go on) is passed over.
#ifndef PROPTESTS_INTERLEAVE_STRATEGIES_FORCED_STRATEGY_H_
#define PROPTESTS_INTERLEAVE_STRATEGIES_FORCED_STRATEGY_H_

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "proptests/interleave/strategies/strategy.h"

namespace twingrad::interleave {

struct ForcedChoice {
  DecisionKind kind = DecisionKind::kThread;
  int thread = 0;  // that decides, at this step of its own
  int step = 0;
  int chosen = 0;  // kThread: the thread that goes on; else the alternative

  friend bool operator==(const ForcedChoice&, const ForcedChoice&) = default;
};

// Where the trace departs from the straight way.
std::vector<ForcedChoice> ForcedChoicesOf(const Trace& trace);
// How often a thread that could have gone on made way.
int PreemptionsOf(const Trace& trace);

class ForcedStrategy final : public Strategy {
 public:
  explicit ForcedStrategy(const std::vector<ForcedChoice>& choices);

  void Begin(uint64_t) override {}  // the seed plays no part
  int Choose(const Question& question) override;
  std::string name() const override { return "forced"; }

 private:
  using Place = std::tuple<DecisionKind, int, int>;

  std::map<Place, int> choices_;
};

}  // namespace twingrad::interleave

#endif  // PROPTESTS_INTERLEAVE_STRATEGIES_FORCED_STRATEGY_H_
