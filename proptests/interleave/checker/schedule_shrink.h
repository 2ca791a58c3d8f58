// Minimizes a failing schedule to the few departures from the default schedule that the failure
// needs.
//
//   const auto run = [&](Strategy& strategy, uint64_t seed) -> std::optional<Trace> {
//     ProgramRun run = explorer.Run(strategy, seed);
//     return run.signature == signature ? std::optional(run.outcome.decisions) : std::nullopt;
//   };
//   ScheduleShrink result = ShrinkSchedule(trace, run);
//
// It drops forced choices (forced_strategy.h), halves first, then smaller parts, then single ones,
// and merges adjacent choices, as long as the execution still fails in the same way. The result may
// be only a local minimum. So it then searches for schedules with fewer preemptions, from none
// upwards (FewPreemptions), and minimizes what it finds again. Deterministic.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "proptests/interleave/strategies/forced_strategy.h"
#include "proptests/interleave/strategies/strategy.h"

namespace twingrad::interleave {

// Runs once under the strategy. Returns the decisions taken if the execution fails as expected.
using FailingRun = std::function<std::optional<Trace>(Strategy&, uint64_t seed)>;

struct ScheduleShrinkLimits {
  int attempts = 2000;  // runs spent on dropping choices
  int tries = 2000;     // runs with each smaller number of preemptions
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
