// Hunt: finds a failing schedule of a scenario, replays it and minimizes it.
//
// Only compiled against the model (concurrent_mutant_test).

#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proptests/interleave/checker/outcome.h"
#include "proptests/interleave/checker/state_rules.h"
#include "proptests/interleave/strategies/strategy.h"
#include "proptests/mutants/concurrent/scenarios.h"

namespace twingrad::mutants {

inline constexpr int64_t kMaxSchedules = 200'000;
inline constexpr int kMaxPreemptions = 4;
inline constexpr int kMaxNodes = 5;

// Of this process so far.
inline double ProcessorSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Catch {
  int64_t schedules = 0;  // tried until it was found
  double seconds = 0;     // of processor time
  std::string detector;   // deadlock, race, bits, error, frozen...
  std::string text;
  bool replays = false;  // decision by decision, to the same failure
  int preemptions = 0;   // of the smallest schedule
  int nodes = 0;         // of the graphs that the smallest schedule ran
  interleave::ExecutionOutcome smallest;
};

struct HuntOptions {
  int64_t max_schedules = kMaxSchedules;
  interleave::Strategy* strategy = nullptr;  // null: random strategies
  interleave::StateRules* rules = nullptr;   // checked after every step, unless null
};

// Returns nothing if the scenario passed every schedule.
std::optional<Catch> Hunt(const Scenario& scenario, uint64_t seed, const HuntOptions& options = {});
// How many schedules it takes to find the defect; nothing if no schedule finds it.
std::optional<int64_t> SchedulesToFind(const Scenario& scenario, uint64_t seed,
                                       const HuntOptions& options);
// Runs the same schedule again with these rules; null: with none.
interleave::ExecutionOutcome Repeat(const Scenario& scenario, const interleave::Trace& schedule,
                                    interleave::StateRules* rules);

// The number of distinct nodes in the graphs that the engine ran under this schedule.
int CountNodes(const Scenario& scenario, const interleave::Trace& schedule);

// `| dropped_notify | 312 | found in 0.01 s | deadlock | 3 | 2 |`
std::string MatrixRow(std::string_view mutant, const Catch& caught);

// Judges whether a defect is found quickly enough. `seconds` has the processor time that each seed
// took; it must not be empty. Prints
// `NAME: by WHAT found in ... s in the median of N seeds, in ... s at worst: quick enough`.
// Returns 1 if the median is 2 s or more or the worst is 10 s or more, else 0.
int JudgeSpeed(std::string_view name, std::string_view by, std::vector<double> seconds);

}  // namespace twingrad::mutants
