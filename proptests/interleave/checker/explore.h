// Explore: runs a body under many interleavings and reports the first that fails, with its replay.
//
//   Report report = Explore({.schedules = 2000}, [] {
//     Queue queue;
//     sync::Thread producer("producer", [&] { queue.Push(1); });
//     Check(queue.Pop() == 1, "[queue] got another task");
//     producer.Join();
//   });
//   EXPECT_TRUE(report.ok()) << report.text;
//
// The body runs once per schedule. It must build everything it uses and must be deterministic apart
// from the schedule. Build it with an interleaving_test (tools/rules): otherwise its mutexes are
// real, and the only thread blocks for ever. Before a failure is reported, the failing schedule
// runs again with events recorded. If this second run takes other decisions, the report says that
// the body depends on something uncontrolled (time, addresses, real threads).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>

#include "proptests/interleave/checker/lock_coverage.h"
#include "proptests/interleave/checker/outcome.h"
#include "proptests/interleave/checker/state_rules.h"
#include "proptests/interleave/strategies/random_strategy.h"
#include "proptests/interleave/strategies/strategy.h"

namespace twingrad::interleave {

// If this environment variable is set, every Explore runs only the schedule of that seed and prints
// its events.
inline constexpr char kSeedVariable[] = "TWINGRAD_INTERLEAVE_SEED";

struct Options {
  int schedules = 1000;
  // Seed of the exploration; the seed of each schedule is derived from it.
  uint64_t seed = 1;
  RandomStrategy::Parameters chances = {};
  int64_t max_steps = 100000;
  Strategy* strategy = nullptr;   // RandomStrategy with `chances`, unless set
  StateRules* rules = nullptr;    // checked after every step, unless null
  LockCoverage* locks = nullptr;  // told of every lock taken, unless null
  // Mutexes that a schedule takes in orders which contradict one another are a failure. For bodies
  // whose mutexes have names, one for all that are taken alike.
  bool check_lock_order = false;
  // The test that explores, as "Suite.Name"; goes into the replay command.
  std::string test_filter = "";
};

struct Report {
  int64_t schedules = 0;
  int64_t steps = 0;
  int64_t decisions = 0;
  uint64_t seed = 0;  // of the exploration
  // Of the first failing schedule.
  std::optional<uint64_t> failing_seed;
  ExecutionOutcome outcome;
  bool uncontrolled = false;  // the second run of the failing schedule took other decisions
  // What happened, the last events and the replay command; one line if nothing failed.
  std::string text;

  bool ok() const { return !failing_seed.has_value(); }
};

Report Explore(const Options& options, const std::function<void()>& body);

// Runs the schedule of `schedule_seed` alone, with events recorded.
ExecutionOutcome RunSeed(uint64_t schedule_seed, const Options& options,
                         const std::function<void()>& body);
// Replays a recorded schedule and checks each decision. The outcome is kDivergedReplay if one does
// not match.
ExecutionOutcome ReplayTrace(const Trace& trace, const Options& options,
                             const std::function<void()>& body);

// Inside a body: fails the execution unless `condition` holds.
void Check(bool condition, std::string_view message,
           std::source_location where = std::source_location::current());

}  // namespace twingrad::interleave
