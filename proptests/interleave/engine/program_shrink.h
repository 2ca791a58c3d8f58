// Minimizes a finding: the Program and the schedule in turns, until neither gets smaller.
//
//   SmallFinding small = ShrinkProgramFinding(program, options, run, {});
//   small.program, small.run.outcome.decisions, small.run.failure, small.preemptions
//
// A smaller Program is kept if one of a few schedules makes it fail in the same way, that is with
// the same ProgramRun::signature. The schedules are the forced choices found so far, then random
// ones from fixed seeds. Deterministic.
#pragma once

#include <functional>

#include "autograd/program/program.h"
#include "proptests/interleave/checker/schedule_shrink.h"
#include "proptests/interleave/engine/program_run.h"

namespace twingrad::interleave {

struct FindingLimits {
  int program_attempts = 400;          // smaller Programs tried
  int schedules_a_program = 100;       // schedules tried for each of them
  ScheduleShrinkLimits schedule = {};  // for each turn on the schedule
  int turns = 3;
  std::function<bool()> interrupt = {};  // called between attempts; true stops. May be null.
};

struct SmallFinding {
  program::Program program;
  ProgramRun run;  // of the smallest schedule, events recorded
  int preemptions = 0;
};

// `failing` is a run of `program` that failed.
SmallFinding ShrinkProgramFinding(const program::Program& program, const ProgramOptions& options,
                                  const ProgramRun& failing, const FindingLimits& limits = {});

}  // namespace twingrad::interleave
