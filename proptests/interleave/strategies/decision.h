// Decision: one choice of a schedule; a Trace is all of them in order.
//
// Every choice the model leaves open (which thread goes on, which waiter a notify wakes, whether a
// wait ends with no wake-up) is a number below `alternatives`, drawn from one stream, so that a
// seed or a recorded trace fixes the whole execution. `site` is a hash of what the deciding thread
// was about to do: replay compares it to say where two executions part. Kind, alternatives, chosen
// and site are what a schedule file keeps; the rest serves shrinking.
#ifndef PROPTESTS_INTERLEAVE_STRATEGIES_DECISION_H_
#define PROPTESTS_INTERLEAVE_STRATEGIES_DECISION_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace twingrad::interleave {

enum class DecisionKind : uint8_t {
  kThread,    // the thread that goes on, as its index among the runnable ones
  kWaiter,    // the thread that notify_one wakes, as its index among those waiting
  kSpurious,  // 1: this wait ends with no wake-up
  kTimeout,   // 1: this wait's time is over although others could still go on
  kTryLock,   // 1: this attempt to lock a free mutex fails
  kWeakFail,  // 1: this weak compare-exchange of an equal value fails
};
inline constexpr int kDecisionKinds = 6;

// "thread", "waiter", "spurious", ...
constexpr std::string_view DecisionName(DecisionKind kind) {
  constexpr std::string_view kNames[kDecisionKinds] = {"thread",  "waiter",   "spurious",
                                                       "timeout", "try_lock", "weak_fail"};
  return kNames[static_cast<int>(kind)];
}

struct Decision {
  DecisionKind kind = DecisionKind::kThread;
  int alternatives = 0;  // at least 2: what has one outcome is no decision
  int chosen = 0;
  uint32_t site = 0;
  // As in the Question: who decided, when, among whom.
  int current = -1;
  int thread = 0;
  int step = 0;
  uint64_t runnable = 0;

  friend bool operator==(const Decision&, const Decision&) = default;
};

using Trace = std::vector<Decision>;

}  // namespace twingrad::interleave

#endif  // PROPTESTS_INTERLEAVE_STRATEGIES_DECISION_H_
