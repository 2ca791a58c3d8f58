// The loop over schedules and the report of a failure; see explore.h.
#include "proptests/interleave/checker/explore.h"

#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "autograd/sync/model/scheduler.h"
#include "proptests/interleave/checker/fiber_scheduler.h"
#include "proptests/interleave/strategies/replay_strategy.h"

namespace twingrad::interleave {

namespace {

constexpr size_t kReportedEvents = 60;

// The schedule at hand, for the signal handler: an abort must still name its seed.
volatile uint64_t running_seed = 0;

void PrintSeedAndDie(int signal_number) {
  char text[96] = "[interleave] aborted in the schedule of TWINGRAD_INTERLEAVE_SEED=";
  const size_t used = std::strlen(text);
  const uint64_t seed = running_seed;
  const auto end = std::to_chars(text + used, text + sizeof(text) - 1, seed).ptr;
  *end = '\n';
  if (write(STDERR_FILENO, text, static_cast<size_t>(end - text) + 1) < 0) _exit(3);
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

class NameSeedOnAbort {
 public:
  NameSeedOnAbort() : previous_(std::signal(SIGABRT, &PrintSeedAndDie)) {}
  ~NameSeedOnAbort() { std::signal(SIGABRT, previous_); }
  NameSeedOnAbort(const NameSeedOnAbort&) = delete;
  NameSeedOnAbort& operator=(const NameSeedOnAbort&) = delete;

 private:
  void (*previous_)(int);
};

ExecutionOutcome RunOnce(FiberScheduler& scheduler, Strategy& strategy, uint64_t seed,
                         const Options& options, bool record_events,
                         const std::function<void()>& body) {
  running_seed = seed;
  LockOrder order;
  return scheduler.Run(body, strategy, seed,
                       {.max_steps = options.max_steps,
                        .record_events = record_events,
                        .locks = options.locks,
                        .rules = options.rules,
                        .order = options.check_lock_order ? &order : nullptr});
}

std::string ReplayCommand(uint64_t seed, const Options& options) {
  const char* target = std::getenv("TEST_TARGET");
  std::string command = absl::StrCat("bazel test ", target != nullptr ? target : "<this test>",
                                     " --test_env=", kSeedVariable, "=", seed);
  if (!options.test_filter.empty()) {
    absl::StrAppend(&command, " --test_filter=", options.test_filter);
  }
  return command + " --test_output=all";
}

std::string FailureText(const Report& report, const Options& options) {
  const ExecutionOutcome& outcome = report.outcome;
  std::string text = absl::StrCat("[interleave] ", OutcomeName(outcome.kind), " in schedule ",
                                  report.schedules, " of seed ", report.seed, " (", outcome.steps,
                                  " steps, ", outcome.decisions.size(), " decisions, ",
                                  outcome.switches, " switches)\n", outcome.message, "\n");
  if (report.uncontrolled) {
    absl::StrAppend(&text,
                    "[interleave] the same decisions led elsewhere when taken again: the body "
                    "depends on something besides the schedule\n");
  }
  absl::StrAppend(&text, "last steps ('>': another thread ran before):\n",
                  FormatEvents(outcome, kReportedEvents),
                  "replay: ", ReplayCommand(*report.failing_seed, options), "\n");
  return text;
}

std::optional<uint64_t> SeedFromEnvironment() {
  const char* text = std::getenv(kSeedVariable);
  uint64_t seed = 0;
  if (text == nullptr || !absl::SimpleAtoi(text, &seed)) return std::nullopt;
  return seed;
}

}  // namespace

Report Explore(const Options& options, const std::function<void()>& body) {
  const NameSeedOnAbort name_seed;
  FiberScheduler scheduler;
  RandomStrategy random(options.chances);
  Strategy& strategy = options.strategy != nullptr ? *options.strategy : random;
  const std::optional<uint64_t> only_seed = SeedFromEnvironment();
  Report report;
  report.seed = options.seed;
  SplitMix seeds(report.seed);
  const int schedules = only_seed ? 1 : options.schedules;
  for (int i = 0; i < schedules; ++i) {
    const uint64_t seed = only_seed ? *only_seed : seeds.Next();
    ExecutionOutcome outcome =
        RunOnce(scheduler, strategy, seed, options, only_seed.has_value(), body);
    ++report.schedules;
    report.steps += outcome.steps;
    report.decisions += static_cast<int64_t>(outcome.decisions.size());
    if (only_seed) std::fputs(FormatEvents(outcome, outcome.events.size()).c_str(), stderr);
    if (outcome.ok()) continue;
    ReplayStrategy replay(outcome.decisions);
    const ExecutionOutcome again = RunOnce(scheduler, replay, seed, options, true, body);
    report.failing_seed = seed;
    report.uncontrolled = again.decisions != outcome.decisions || again.kind != outcome.kind;
    report.outcome = report.uncontrolled ? std::move(outcome) : std::move(again);
    report.text = FailureText(report, options);
    return report;
  }
  report.text =
      absl::StrCat("[interleave] ", report.schedules, " schedules of seed ", report.seed,
                   " passed (", report.steps, " steps, ", report.decisions, " decisions)");
  return report;
}

ExecutionOutcome RunSeed(uint64_t schedule_seed, const Options& options,
                         const std::function<void()>& body) {
  const NameSeedOnAbort name_seed;
  FiberScheduler scheduler;
  RandomStrategy random(options.chances);
  Strategy& strategy = options.strategy != nullptr ? *options.strategy : random;
  return RunOnce(scheduler, strategy, schedule_seed, options, true, body);
}

ExecutionOutcome ReplayTrace(const Trace& trace, const Options& options,
                             const std::function<void()>& body) {
  FiberScheduler scheduler;
  ReplayStrategy strategy(trace);
  ExecutionOutcome outcome = RunOnce(scheduler, strategy, 0, options, true, body);
  if (outcome.kind != OutcomeKind::kDivergedReplay && !strategy.Finished()) {
    outcome.kind = OutcomeKind::kDivergedReplay;
    outcome.message = strategy.LeftOver();
  }
  return outcome;
}

void Check(bool condition, std::string_view message, std::source_location where) {
  if (condition) return;
  sync::model::Misuse(std::string(message), where);
}

}  // namespace twingrad::interleave
