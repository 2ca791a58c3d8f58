// Shrinking a schedule: from a long random one to the few departures from the straight way that it
// takes to fail.
//
//   ScheduleShrink result = ShrinkSchedule(trace, [&](Strategy& s) -> std::optional<Trace> {
//     ProgramRun run = explorer.Run(s, 0);
//     return run.signature == signature ? std::optional(run.outcome.decisions) : std::nullopt;
//   });
//
// Drops forced choices (forced_strategy.h), halves first, then smaller parts, then one by one, and
// makes one of two that follow each other, as long as the execution still fails alike.
// Deterministic.
#ifndef PROPTESTS_INTERLEAVE_SCHEDULE_SHRINK_H_
#define PROPTESTS_INTERLEAVE_SCHEDULE_SHRINK_H_

#include <functional>
#include <optional>
#include <vector>

#include "proptests/interleave/forced_strategy.h"
#include "proptests/interleave/strategy.h"

namespace twingrad::interleave {

// Runs once under the strategy; gives the decisions taken if the execution fails as it should.
using FailingRun = std::function<std::optional<Trace>(Strategy&)>;

struct ScheduleShrink {
  Trace trace;  // of the smallest schedule that failed
  std::vector<ForcedChoice> choices;
  int attempts = 0;
};

// `failing` must fail. At most `max_attempts` runs.
ScheduleShrink ShrinkSchedule(const Trace& failing, const FailingRun& run, int max_attempts = 2000);

}  // namespace twingrad::interleave

#endif  // PROPTESTS_INTERLEAVE_SCHEDULE_SHRINK_H_
