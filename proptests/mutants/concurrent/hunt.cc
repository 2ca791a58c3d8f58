#include "proptests/mutants/concurrent/hunt.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "absl/strings/str_format.h"
#include "autograd/sync/mutex.h"
#include "autograd/sync/watch.h"
#include "proptests/interleave/checker/explore.h"
#include "proptests/interleave/checker/fiber_scheduler.h"
#include "proptests/interleave/checker/lock_order.h"
#include "proptests/interleave/checker/schedule_shrink.h"
#include "proptests/interleave/strategies/forced_strategy.h"

namespace twingrad::mutants {
namespace {

using interleave::ExecutionOutcome;
using interleave::OutcomeKind;

constexpr int64_t kMaxSteps = 20'000;

// The name of the failure; shrinking must keep it the same.
std::string DetectorOf(const ExecutionOutcome& outcome) {
  if (outcome.kind != OutcomeKind::kFailedCheck) return std::string(OutcomeName(outcome.kind));
  const size_t end = outcome.message.find(']');
  if (outcome.message.empty() || outcome.message[0] != '[' || end == std::string::npos) {
    return "check";
  }
  return outcome.message.substr(1, end - 1);
}

// A schedule in which late_store shows is rare.
constexpr interleave::ScheduleShrinkLimits kShrink = {.attempts = 2000, .tries = 10'000};

std::function<void()> BodyOf(const Scenario& scenario) {
  return [&scenario] {
    const std::string wrong = scenario.run();
    interleave::Check(wrong.empty(), wrong);
  };
}

interleave::Report ExploreScenario(const Scenario& scenario, uint64_t seed,
                                   const HuntOptions& options) {
  return interleave::Explore({.schedules = static_cast<int>(options.max_schedules),
                              .seed = seed,
                              .max_steps = kMaxSteps,
                              .strategy = options.strategy,
                              .rules = options.rules,
                              .check_lock_order = true},
                             BodyOf(scenario));
}

// Graphs may come from several threads; counting them adds no step.
class NodeCounter final : public EngineObserver {
 public:
  void OnGraphReady(GraphView graph) override {
    const sync::WatchScope watching;
    sync::MutexLock lock(mutex_);
    nodes_.insert(graph.nodes.begin(), graph.nodes.end());
  }
  void OnEvaluate(const Evaluation&, bool) override {}
  int count() const {
    sync::MutexLock lock(mutex_);
    return static_cast<int>(nodes_.size());
  }

 private:
  mutable sync::Mutex mutex_{"node_counter"};
  std::set<const Node*> nodes_ AG_GUARDED_BY(mutex_);
};

// The smallest schedule under which the same failure shows.
void Shrink(const Scenario& scenario, interleave::StateRules* rules, Catch* caught) {
  interleave::FiberScheduler scheduler;
  interleave::LockOrder order;
  const std::function<void()> body = BodyOf(scenario);
  const auto run = [&](interleave::Strategy& strategy,
                       uint64_t seed) -> std::optional<interleave::Trace> {
    ExecutionOutcome outcome = scheduler.Run(
        body, strategy, seed, {.max_steps = kMaxSteps, .rules = rules, .order = &order});
    if (outcome.ok() || DetectorOf(outcome) != caught->detector) return std::nullopt;
    return std::move(outcome.decisions);
  };
  interleave::ScheduleShrink small =
      interleave::ShrinkSchedule(caught->smallest.decisions, run, kShrink);
  caught->preemptions = small.preemptions;
  caught->smallest.decisions = std::move(small.trace);
}

}  // namespace

std::optional<int64_t> SchedulesToFind(const Scenario& scenario, uint64_t seed,
                                       const HuntOptions& options) {
  const interleave::Report report = ExploreScenario(scenario, seed, options);
  if (report.ok()) return std::nullopt;
  return report.schedules;
}

ExecutionOutcome Repeat(const Scenario& scenario, const interleave::Trace& schedule,
                        interleave::StateRules* rules) {
  interleave::FiberScheduler scheduler;
  interleave::LockOrder order;
  interleave::ForcedStrategy strategy(interleave::ForcedChoicesOf(schedule));
  return scheduler.Run(
      BodyOf(scenario), strategy, 0,
      {.max_steps = kMaxSteps, .record_events = true, .rules = rules, .order = &order});
}

int CountNodes(const Scenario& scenario, const interleave::Trace& schedule) {
  NodeCounter counter;
  ObserveScenarios(&counter);
  Repeat(scenario, schedule, nullptr);
  ObserveScenarios(nullptr);
  return counter.count();
}

std::optional<Catch> Hunt(const Scenario& scenario, uint64_t seed, const HuntOptions& options) {
  const double begin = ProcessorSeconds();
  const interleave::Report report = ExploreScenario(scenario, seed, options);
  if (report.ok()) return std::nullopt;
  Catch caught;
  caught.schedules = report.schedules;
  caught.seconds = ProcessorSeconds() - begin;
  caught.detector = DetectorOf(report.outcome);
  caught.text = report.text;
  caught.smallest = report.outcome;
  Shrink(scenario, options.rules, &caught);
  ExecutionOutcome again = ReplayTrace(
      caught.smallest.decisions,
      {.max_steps = kMaxSteps, .rules = options.rules, .check_lock_order = true}, BodyOf(scenario));
  caught.replays = !report.uncontrolled && again.decisions == caught.smallest.decisions &&
                   DetectorOf(again) == caught.detector;
  caught.nodes = CountNodes(scenario, again.decisions);
  caught.smallest = std::move(again);
  return caught;
}

std::string MatrixRow(std::string_view mutant, const Catch& caught) {
  return absl::StrFormat("| %s | %d | found in %.3f s | %s | %d | %d |", mutant, caught.schedules,
                         caught.seconds, caught.detector, caught.preemptions, caught.nodes);
}

int JudgeSpeed(std::string_view name, std::string_view by, std::vector<double> seconds) {
  constexpr double kMedianSeconds = 2;
  constexpr double kMostSeconds = 10;
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[seconds.size() / 2];
  const bool is_quick = median < kMedianSeconds && seconds.back() < kMostSeconds;
  absl::PrintF("%s: by %s found in %.3f s in the median of %d seeds, in %.3f s at worst: %s\n",
               name, by, median, seconds.size(), seconds.back(),
               is_quick ? "quick enough" : "TOO SLOW, it may take 2 s and 10 s");
  return is_quick ? 0 : 1;
}

}  // namespace twingrad::mutants
