// The default schedule and few departures from it, on which minimizing a schedule works.
//
// The default schedule: the running thread continues while it can, then the runnable thread that
// was started first; notify wakes the first waiter; nothing spurious happens (DefaultChoice of
// strategy.h). Most concurrency defects show with two or three departures, and a person can read
// such schedules.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "proptests/interleave/strategies/random_strategy.h"
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

// Follows the default schedule except for these choices. Each holds at one step of one thread.
// Steps are counted per thread, so a choice keeps its meaning when others are dropped. A choice
// that no longer applies (its thread cannot continue) is ignored.
class ForcedStrategy final : public Strategy {
 public:
  explicit ForcedStrategy(const std::vector<ForcedChoice>& choices);

  void Begin(uint64_t) override {}  // the seed is not used
  int Choose(const Question& question) override;
  std::string name() const override { return "forced"; }
  // Buffered only if one of the choices needs it.
  Memory memory() const override { return memory_; }

 private:
  using Place = std::tuple<DecisionKind, int, int>;

  std::map<Place, int> choices_;
  Memory memory_ = Memory::kSequential;
};

// Follows the default schedule except for a given number of preemptions at random places, spread
// over the first `length` decisions. Spurious wake-ups and spurious failures of operations count as
// preemptions. If the running thread cannot continue, the next one is random, and so is the
// setting.
class FewPreemptions final : public Strategy {
 public:
  FewPreemptions(int preemptions, int length)
      : preemptions_(preemptions), length_(std::max(1, length)) {}

  void Begin(uint64_t seed) override;
  int Choose(const Question& question) override;
  std::string name() const override;

 private:
  const int preemptions_;
  const int length_;
  SplitMix random_;
  int asked_ = 0;
  std::vector<int> places_;
};

}  // namespace twingrad::interleave
