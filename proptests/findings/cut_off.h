// Schedules at whose end the process ends or hangs: run up to there, and made small.
//
//   std::optional<CutOff> cut = RunToTheEnd(explorer, decisions);   // stops just before
//   Trace small = ShrinkCutOff(explorer, cut->trace, "crash", interrupt);
//
// A run that may end its process is made in a child of this one, which keeps its decisions in
// shared memory; a child that computes for kHangTime counts as hanging. Must be compiled against
// the model. One OS thread.

#ifndef PROPTESTS_FINDINGS_CUT_OFF_H_
#define PROPTESTS_FINDINGS_CUT_OFF_H_

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
  interleave::Trace trace;               // the decisions, with who took them among whom
  interleave::ExecutionOutcome outcome;  // its events, up to the last decision
};

// Executes until the last of these decisions has been asked for, and leaves the execution there.
// Nothing: it asks something else, or there are no decisions.
std::optional<CutOff> RunToTheEnd(interleave::ProgramExplorer& explorer,
                                  const interleave::Trace& decisions);

// "then main goes on, and the process ends".
std::string LastChoiceText(const CutOff& cut, std::string_view detector);

// Runs once in a child; its decisions, if it ends as `detector` (crash or hang) says.
std::optional<interleave::Trace> FailureInAChild(interleave::ProgramExplorer& explorer,
                                                 interleave::Strategy& strategy, uint64_t seed,
                                                 std::string_view detector);

// The decisions of a schedule that departs less often from the straight way and ends alike; those
// given, if none is found before `interrupt` says true.
interleave::Trace ShrinkCutOff(interleave::ProgramExplorer& explorer,
                               const interleave::Trace& trace, std::string_view detector,
                               const std::function<bool()>& interrupt);

}  // namespace twingrad::findings

#endif  // PROPTESTS_FINDINGS_CUT_OFF_H_
