// Schedules that end with the process crashing or hanging: runs them up to that point and minimizes
// them.
//
//   std::optional<CutOff> cut = RunToTheEnd(explorer, decisions);   // stops just before
//   Trace small = ShrinkCutOff(explorer, cut->trace, "crash", interrupt);
//
// A run that may end its process is made in a child process, which records its decisions in shared
// memory. A child that computes for kHangTime counts as hanging. Must be compiled against the
// model. Used by one OS thread.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "proptests/interleave/checker/outcome.h"
#include "proptests/interleave/engine/program_run.h"
#include "proptests/interleave/strategies/strategy.h"

namespace twingrad::findings {

inline constexpr std::chrono::milliseconds kHangTime(100);

struct CutOff {
  interleave::Trace trace;               // the decisions, with deciding and runnable threads
  interleave::ExecutionOutcome outcome;  // its events, up to the last decision
};

// Executes until the last of these decisions has been asked for, and abandons the execution there.
// Returns nothing if the execution diverges or there are no decisions.
std::optional<CutOff> RunToTheEnd(interleave::ProgramExplorer& explorer,
                                  const interleave::Trace& decisions);

// "then main goes on, and the process ends".
std::string LastChoiceText(const CutOff& cut, std::string_view detector);

// Runs once in a child. Returns its decisions if it ends as `detector` (crash or hang) says.
std::optional<interleave::Trace> FailureInAChild(interleave::ProgramExplorer& explorer,
                                                 interleave::Strategy& strategy, uint64_t seed,
                                                 std::string_view detector);

// The decisions of a schedule that ends in the same way with fewer departures from the default
// schedule; `trace` itself if none is found before `interrupt` returns true.
interleave::Trace ShrinkCutOff(interleave::ProgramExplorer& explorer,
                               const interleave::Trace& trace, std::string_view detector,
                               const std::function<bool()>& interrupt);

}  // namespace twingrad::findings
