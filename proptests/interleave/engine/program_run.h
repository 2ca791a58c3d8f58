// ProgramExplorer: runs a Program on the production engine under one schedule after another.
//
//   ProgramExplorer explorer(program);
//   RandomStrategy strategy;
//   ProgramRun run = explorer.Run(strategy, seed);
//   if (!run.ok()) std::cout << run.detector << ": " << run.failure;
//
// Each schedule has an engine of its own, which starts its workers, runs the Program through
// autograd/runner and is destroyed: all of it, shutdown included, is under the scheduler. What a
// run shows is judged (program_judge.h); what goes wrong on the way (deadlock, race, leak, escaped
// exception) is the scheduler's to find. Must be compiled below an interleaving_test or
// interleaving_binary. One OS thread.
#ifndef PROPTESTS_INTERLEAVE_ENGINE_PROGRAM_RUN_H_
#define PROPTESTS_INTERLEAVE_ENGINE_PROGRAM_RUN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "proptests/interleave/checker/fiber_scheduler.h"
#include "proptests/interleave/checker/outcome.h"
#include "proptests/interleave/engine/engine_rules.h"
#include "proptests/interleave/engine/program_judge.h"
#include "proptests/interleave/strategies/strategy.h"

namespace twingrad::interleave {

struct ProgramRun {
  ExecutionOutcome outcome;                    // of the execution; its decisions are the schedule
  twingrad::program::Observation observation;  // empty if the execution did not come to its end
  // Empty if all is well. "deadlock", "data race", ... as OutcomeName says, or the oracle that
  // disagreed: "determinism", "twin", "frozen", "recount", ...
  std::string detector;
  std::string failure;  // text for people
  // What two runs share that fail alike: the detector and, where it has them, the source lines.
  std::string signature;
  uint64_t order = 0;  // fingerprint of the order in which nodes ran

  bool ok() const { return detector.empty(); }
};

struct ProgramOptions {
  // 0: one for each device of the Program, at least one.
  int device_threads = 0;
  int64_t max_steps = 1000000;
  // Graphs, counts, orders and hooks; without it only values and errors are judged.
  bool record_calls = true;
  bool check_state = true;        // the engine's rules (engine_rules.h), after every step
  LockCoverage* locks = nullptr;  // fed by every run but the one on one thread, unless null
};

class ProgramExplorer {
 public:
  using Options = ProgramOptions;

  explicit ProgramExplorer(const twingrad::program::Program& program, Options options = {});
  ~ProgramExplorer();
  ProgramExplorer(const ProgramExplorer&) = delete;
  ProgramExplorer& operator=(const ProgramExplorer&) = delete;

  ProgramRun Run(Strategy& strategy, uint64_t seed, bool record_events = false);
  // The run on one thread that all others are compared with, judged by the twin. Where it fails on
  // the way, nothing judges what the others show.
  const ProgramRun& single() const { return single_; }
  // Set where the engine does not run the Program: nothing is to be learnt from it.
  const std::optional<std::string>& skipped() const { return skipped_; }

  const twingrad::program::Program& program() const { return program_; }
  int device_threads() const { return device_threads_; }

 private:
  // Without a verdict on what the run shows.
  ProgramRun Execute(Strategy& strategy, uint64_t seed, int device_threads, bool record_events);

  const twingrad::program::Program program_;
  const Options options_;
  const int device_threads_;
  FiberScheduler scheduler_;
  EngineRules rules_;
  std::optional<ProgramJudge> judge_;
  ProgramRun single_;
  std::optional<twingrad::program::Observation> canary_;  // after single_'s error
  std::optional<std::string> skipped_;
};

// How many devices the Program names, by the highest index.
int DevicesOf(const twingrad::program::Program& program);

}  // namespace twingrad::interleave

#endif  // PROPTESTS_INTERLEAVE_ENGINE_PROGRAM_RUN_H_
