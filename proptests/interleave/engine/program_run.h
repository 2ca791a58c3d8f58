// ProgramExplorer: runs a Program on the production engine under one schedule after another.
//
//   ProgramExplorer explorer(program);
//   RandomStrategy strategy;
//   ProgramRun run = explorer.Run(strategy, seed);
//   if (!run.ok()) std::cout << run.detector << ": " << run.failure;
//
// Each schedule has its own engine, which starts its workers, runs the Program through
// autograd/runner and is destroyed; the scheduler controls all of it, shutdown included. Some
// schedules of Programs with devices have another thread stop the engine beside one of the calls,
// which must make no difference: a decision of the schedule, that of its setting. The accelerators
// of a Program with streams that follow each other are `late` ones: when queued work runs is a
// decision of the schedule too. The judge
// (program_judge.h) judges what a run shows; the scheduler detects what goes wrong during it
// (deadlock, race, leak, escaped exception). Build it with an interleaving_test or
// interleaving_binary. Used by one OS thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/runner/run.h"
#include "proptests/interleave/checker/fiber_scheduler.h"
#include "proptests/interleave/checker/lock_order.h"
#include "proptests/interleave/checker/outcome.h"
#include "proptests/interleave/engine/engine_rules.h"
#include "proptests/interleave/engine/program_judge.h"
#include "proptests/interleave/strategies/strategy.h"

namespace twingrad::interleave {

// What may differ between the schedules of a Program besides their interleaving.
struct Setting {
  // Whether the engine is stopped beside a call.
  std::optional<runner::StopBeside> stop = std::nullopt;
  // Threads that help the caller with CPU nodes.
  int helpers = 0;
};

struct ProgramRun {
  ExecutionOutcome outcome;          // of the execution; its decisions are the schedule
  program::Observation observation;  // empty if the execution did not complete
  // Empty if nothing is wrong. Otherwise a word of OutcomeName ("deadlock", "data race", ...) or
  // the oracle that disagreed ("determinism", "twin", "frozen", "recount", ...).
  std::string detector;
  std::string failure;  // text for people
  // Equal for runs that fail in the same way: the detector and, if it reports them, source lines.
  std::string signature;
  uint64_t order = 0;    // fingerprint of the order in which nodes ran
  Setting setting = {};  // which the schedule chose

  bool ok() const { return detector.empty(); }
};

// Whether it names streams of simulated accelerators, and its own work on them is in order. Then
// values are right however late that work runs; of other Programs they are those of one order.
bool RunsLate(const program::Program& program);

struct ProgramOptions {
  // 0: one per device of the Program, at least one.
  int device_threads = 0;
  int64_t max_steps = 1000000;
  // Records graphs, counts, orders and hooks; otherwise only values and errors are judged.
  bool record_calls = true;
  // Settings with a helper, where a call has nodes for it.
  bool helpers = true;
  bool check_state = true;        // the engine's rules (engine_rules.h), after every step
  LockCoverage* locks = nullptr;  // fed by every run except the single-threaded one, unless null
};

class ProgramExplorer {
 public:
  explicit ProgramExplorer(const program::Program& program, ProgramOptions options = {});

  ProgramRun Run(Strategy& strategy, uint64_t seed, bool record_events = false);
  // The single-threaded run, judged by the twin; all others are compared with it. If its execution
  // failed, the Observations of the others are not judged.
  const ProgramRun& single() const { return single_; }
  // The reason, if the engine cannot run the Program; then it is not explored.
  const std::optional<std::string>& skipped() const { return skipped_; }
  // Which mutexes all runs so far have taken while they held others.
  const LockOrder& lock_order() const { return order_; }

  const program::Program& program() const { return program_; }
  int device_threads() const { return device_threads_; }
  bool runs_late() const { return runs_late_; }

 private:
  // Runs the Program without judging its Observation.
  ProgramRun Execute(Strategy& strategy, uint64_t seed, int device_threads, bool record_events);

  const program::Program program_;
  const ProgramOptions options_;
  const int device_threads_;
  bool runs_late_;
  std::vector<Setting> settings_;  // the first is the plain one
  LockOrder order_;
  FiberScheduler scheduler_;
  EngineRules rules_;
  std::optional<ProgramJudge> judge_;
  ProgramRun single_;
  std::optional<program::Observation> canary_;  // after single_'s error
  std::optional<std::string> skipped_;
};

// ", with a helper, the engine stopped beside `backward %y`"; nothing in the plain setting.
std::string SettingText(const program::Program& program, const ProgramRun& run);

}  // namespace twingrad::interleave
