// What a failing run of the fuzz target engine_schedules prints: the Program and the schedule, both
// small, and the command that replays them.
#pragma once

#include <chrono>
#include <string>

#include "autograd/program/program.h"
#include "proptests/interleave/engine/program_run.h"

namespace twingrad::fuzzing {

struct ScheduleFinding {
  program::Program program;
  interleave::ProgramRun run;
  // The schedule of the run in the format of schedule_file.h. It names no sites, so that engines
  // built by another compiler follow it too; empty if the run on one thread has failed.
  std::string schedule;
};

// Minimizes both within about that time. `run` is a run of the explorer, which has these options,
// that failed; perhaps the one on one thread, which is not minimized.
ScheduleFinding MakeFinding(const interleave::ProgramExplorer& explorer,
                            const interleave::ProgramOptions& options,
                            const interleave::ProgramRun& run, std::chrono::seconds time);

// Program, schedule, what is wrong with it, and the command. Writes program.txt and schedule.txt
// into the folder, which it makes; if it cannot, the text says so.
std::string DescribeFinding(const ScheduleFinding& finding, const std::string& folder);

}  // namespace twingrad::fuzzing
