// HuntByPrograms: finds a defect with random Programs under random schedules, as `oracle explore`
// does, makes the finding small in Program and schedule, and replays it from its text.
//
//   std::optional<ProgramCatch> caught = HuntByPrograms({.seed = 1});
//   caught->small.program, caught->small.run.detector, caught->nodes
//
// Only compiled against the model (concurrent_mutant_test).

#ifndef PROPTESTS_MUTANTS_CONCURRENT_PROGRAM_HUNT_H_
#define PROPTESTS_MUTANTS_CONCURRENT_PROGRAM_HUNT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "proptests/interleave/engine/program_run.h"
#include "proptests/interleave/engine/program_shrink.h"

namespace twingrad::mutants {

struct ProgramHunt {
  uint64_t seed = 1;               // of the first Program; the next has the next number
  int programs = 2000;             // that name a device
  int schedules = 60;              // of each
  std::string_view features = "";  // of the Programs, as `oracle explore --features` has them; all
  std::string_view ops = "";       // that they may use, as --ops has them; all
  bool failing = false;            // only Programs in which a call fails on one thread
  int schedules_to_shrink = 60;    // of each smaller Program
  bool judge_calls = true;         // hooks, counts and orders; else values and errors alone
  bool check_state = true;         // the engine's rules, after every step
  bool make_small = true;          // what is found, and replay it
};

struct ProgramCatch {
  int programs = 0;  // until it was found
  int64_t schedules = 0;
  double seconds = 0;  // of processor time
  std::string found;   // by which detector
  interleave::SmallFinding small;
  int nodes = 0;         // of the graphs of the small Program
  bool replays = false;  // the text of its schedule, decision by decision, to the same failure
};

// Nothing: all Programs passed all schedules.
std::optional<ProgramCatch> HuntByPrograms(const ProgramHunt& hunt);
// Distinct nodes of the graphs that the Program's calls hand to the engine.
int CountNodes(const twingrad::program::Program& program);

}  // namespace twingrad::mutants

#endif  // PROPTESTS_MUTANTS_CONCURRENT_PROGRAM_HUNT_H_
