// Drops forced choices, large parts first, then searches elsewhere; see schedule_shrink.h.
#include "proptests/interleave/checker/schedule_shrink.h"

#include <algorithm>
#include <utility>

namespace twingrad::interleave {

namespace {

using Choices = std::vector<ForcedChoice>;

class Shrinker {
 public:
  Shrinker(const FailingRun& run, const ScheduleShrinkLimits& limits, ScheduleShrink* best)
      : run_(run), limits_(limits), best_(best) {}

  // Drops what can be dropped from the best schedule.
  void Drop() {
    attempts_left_ = limits_.attempts;
    Try({});
    for (size_t size = best_->choices.size() / 2; size > 1; size /= 2) DropParts(size);
    while (DropParts(1) || MergeNeighbours()) {
    }
  }

  // Looks for a schedule with fewer preemptions than the best; true if there is one.
  bool FindFewer() {
    SplitMix seeds(1);
    const int length = static_cast<int>(best_->trace.size());
    for (int preemptions = 0; preemptions < best_->preemptions; ++preemptions) {
      FewPreemptions strategy(preemptions, length);
      for (int i = 0; i < limits_.tries; ++i) {
        ++best_->attempts;
        std::optional<Trace> trace = run_(strategy, seeds.Next());
        if (!trace.has_value() || PreemptionsOf(*trace) >= best_->preemptions) continue;
        Keep(*std::move(trace));
        return true;
      }
    }
    return false;
  }

 private:
  void Keep(Trace trace) {
    best_->choices = ForcedChoicesOf(trace);  // without those that did not fit
    best_->preemptions = PreemptionsOf(trace);
    best_->trace = std::move(trace);
  }

  // Runs with these choices. Keeps them if the run still fails, with fewer departures and no more
  // preemptions than the best.
  bool Try(const Choices& choices) {
    if (attempts_left_ <= 0) return false;
    --attempts_left_;
    ++best_->attempts;
    ForcedStrategy strategy(choices);
    std::optional<Trace> trace = run_(strategy, 0);
    if (!trace.has_value() || PreemptionsOf(*trace) > best_->preemptions ||
        ForcedChoicesOf(*trace).size() >= best_->choices.size()) {
      return false;
    }
    Keep(*std::move(trace));
    return true;
  }

  // Drops parts of this size until none can be spared.
  bool DropParts(size_t size) {
    bool any = false;
    for (size_t begin = 0; begin < best_->choices.size();) {
      Choices rest = best_->choices;
      const size_t end = std::min(begin + size, rest.size());
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(begin),
                 rest.begin() + static_cast<std::ptrdiff_t>(end));
      if (Try(rest)) {
        any = true;
      } else {
        begin = end;
      }
    }
    return any;
  }

  // Merges two adjacent choices of one kind: the first takes the second's thread directly.
  bool MergeNeighbours() {
    bool any = false;
    for (size_t i = 0; i + 1 < best_->choices.size(); ++i) {
      Choices merged = best_->choices;
      if (merged[i].kind != merged[i + 1].kind) continue;
      merged[i].chosen = merged[i + 1].chosen;
      merged.erase(merged.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      any |= Try(merged);
    }
    return any;
  }

  const FailingRun& run_;
  const ScheduleShrinkLimits& limits_;
  ScheduleShrink* best_;
  int attempts_left_ = 0;
};

}  // namespace

ScheduleShrink ShrinkSchedule(const Trace& failing, const FailingRun& run,
                              const ScheduleShrinkLimits& limits) {
  ScheduleShrink best{failing, ForcedChoicesOf(failing), PreemptionsOf(failing), 0};
  Shrinker shrinker(run, limits, &best);
  shrinker.Drop();
  while (shrinker.FindFewer()) shrinker.Drop();
  return best;
}

}  // namespace twingrad::interleave
