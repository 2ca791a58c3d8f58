// HuntByPrograms: finds a defect with random Programs under random schedules, as `oracle explore`
// does, minimizes the finding in Program and schedule, and replays it from its text.
//
//   std::optional<ProgramCatch> caught = HuntByPrograms({.seed = 1});
//   caught->small.program, caught->small.run.detector, caught->nodes
//
// Only compiled against the model (concurrent_mutant_test).

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "proptests/interleave/engine/program_run.h"
#include "proptests/interleave/engine/program_shrink.h"

namespace twingrad::mutants {

struct ProgramHunt {
  uint64_t seed = 1;               // of the first Program; each further one adds 1
  int programs = 2000;             // at most, counting those that name a device or have sections
  int schedules = 60;              // of each Program
  std::string_view features = "";  // as for `oracle explore --features`; empty: all
  std::string_view ops = "";       // as for `oracle explore --ops`; empty: all
  bool sections = false;           // only Programs with thread sections
  bool failing = false;            // only Programs in which a call fails on one thread
  int schedules_to_shrink = 250;   // of each smaller Program
  bool judge_calls = true;         // judge hooks, counts and orders; else only values and errors
  bool check_state = true;         // check the engine's rules after every step
  bool make_small = true;          // minimize the finding and replay it
};

struct ProgramCatch {
  int programs = 0;  // tried until it was found
  int64_t schedules = 0;
  double seconds = 0;  // of processor time
  std::string found;   // the detector that fired
  interleave::SmallFinding small;
  int nodes = 0;         // of the graphs of the small Program
  bool replays = false;  // from its schedule's text, decision by decision, to the same failure
};

// Returns nothing if all Programs passed all schedules.
std::optional<ProgramCatch> HuntByPrograms(const ProgramHunt& hunt);
// A row of the table of mutants, the small Program and the events of its schedule.
std::string FindingText(std::string_view mutant, const ProgramHunt& hunt,
                        const ProgramCatch& caught);
// The number of distinct nodes in the graphs that the Program's calls give to the engine.
int CountNodes(const program::Program& program);

}  // namespace twingrad::mutants
