// Dropping forced choices, large parts first; see schedule_shrink.h.
#include "proptests/interleave/schedule_shrink.h"

#include <algorithm>
#include <utility>

namespace twingrad::interleave {

namespace {

using Choices = std::vector<ForcedChoice>;

class Shrinker {
 public:
  Shrinker(const FailingRun& run, int max_attempts, ScheduleShrink* best)
      : run_(run), max_attempts_(max_attempts), best_(best) {}

  // Runs with these choices; keeps them if that still fails with fewer departures.
  bool Try(const Choices& choices) {
    if (best_->attempts >= max_attempts_) return false;
    ++best_->attempts;
    ForcedStrategy strategy(choices);
    std::optional<Trace> trace = run_(strategy);
    if (!trace.has_value()) return false;
    Choices taken = ForcedChoicesOf(*trace);  // without those that did not fit
    if (taken.size() >= best_->choices.size()) return false;
    best_->choices = std::move(taken);
    best_->trace = *std::move(trace);
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

  // Goes to the second thread at once where one choice led to the next.
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

 private:
  const FailingRun& run_;
  const int max_attempts_;
  ScheduleShrink* best_;
};

}  // namespace

ScheduleShrink ShrinkSchedule(const Trace& failing, const FailingRun& run, int max_attempts) {
  ScheduleShrink best{failing, ForcedChoicesOf(failing), 0};
  Shrinker shrinker(run, max_attempts, &best);
  shrinker.Try({});
  for (size_t size = best.choices.size() / 2; size > 1; size /= 2) shrinker.DropParts(size);
  while (shrinker.DropParts(1) || shrinker.MergeNeighbours()) {
  }
  return best;
}

}  // namespace twingrad::interleave
