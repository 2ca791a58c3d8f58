// Shrinking a schedule: from a long random one to the few departures from the straight way that it
// takes to fail.
//
//   const auto run = [&](Strategy& strategy, uint64_t seed) -> std::optional<Trace> {
//     ProgramRun run = explorer.Run(strategy, seed);
//     return run.signature == signature ? std::optional(run.outcome.decisions) : std::nullopt;
//   };
//   ScheduleShrink result = ShrinkSchedule(trace, run);
//
// Drops forced choices (forced_strategy.h), halves first, then smaller parts, then one by one, and
// makes one of two that follow each other, as long as the execution still fails alike. That may end
// where none can be spared although other schedules would do with fewer preemptions: those are
// looked for from none upwards (few_preemptions.h), and dropped from again. Deterministic.
#ifndef PROPTESTS_INTERLEAVE_CHECKER_SCHEDULE_SHRINK_H_
#define PROPTESTS_INTERLEAVE_CHECKER_SCHEDULE_SHRINK_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "proptests/interleave/strategies/forced_strategy.h"
#include "proptests/interleave/strategies/strategy.h"

namespace twingrad::interleave {

// Runs once under the strategy; gives the decisions taken if the execution fails as it should.
using FailingRun = std::function<std::optional<Trace>(Strategy&, uint64_t seed)>;

struct ScheduleShrinkLimits {
  int attempts = 2000;  // at dropping choices
  int tries = 2000;     // with each number of preemptions that is smaller
};

struct ScheduleShrink {
  Trace trace;  // of the smallest schedule that failed
  std::vector<ForcedChoice> choices;
  int preemptions = 0;
  int attempts = 0;  // runs of both kinds
};

// `failing` must fail.
ScheduleShrink ShrinkSchedule(const Trace& failing, const FailingRun& run,
                              const ScheduleShrinkLimits& limits = {});

}  // namespace twingrad::interleave

#endif  // PROPTESTS_INTERLEAVE_CHECKER_SCHEDULE_SHRINK_H_
