#include "proptests/mutants/interleave/hunt.h"

#include <chrono>

#include "absl/strings/str_format.h"
#include "proptests/interleave/explore.h"
#include "proptests/interleave/few_preemptions.h"
#include "proptests/interleave/fiber_scheduler.h"
#include "proptests/interleave/forced_strategy.h"
#include "proptests/interleave/schedule_shrink.h"

namespace twingrad::mutants {
namespace {

using interleave::Outcome;
using interleave::OutcomeKind;

constexpr int64_t kMaxSteps = 20'000;

// What the failure is called, so that shrinking keeps it.
std::string DetectorOf(const Outcome& outcome) {
  if (outcome.kind != OutcomeKind::kFailedCheck) return std::string(OutcomeName(outcome.kind));
  const size_t end = outcome.message.find(']');
  if (outcome.message.empty() || outcome.message[0] != '[' || end == std::string::npos) {
    return "check";
  }
  return outcome.message.substr(1, end - 1);
}

// Tries at each number of preemptions.
constexpr int kTries = 10'000;

// The smallest schedule under which the same failure shows. Dropping departures from the one that
// was found may end where none can be spared although others would do with fewer: those are looked
// for from none upwards.
void Shrink(const std::function<void()>& body, uint64_t seed, Catch* caught) {
  interleave::FiberScheduler scheduler;
  const auto run = [&](interleave::Strategy& strategy) -> std::optional<interleave::Trace> {
    Outcome outcome = scheduler.Run(body, strategy, 0, {.max_steps = kMaxSteps});
    if (outcome.ok() || DetectorOf(outcome) != caught->detector) return std::nullopt;
    return std::move(outcome.decisions);
  };
  const interleave::ScheduleShrink small =
      interleave::ShrinkSchedule(caught->smallest.decisions, run);
  caught->preemptions = interleave::PreemptionsOf(small.trace);
  caught->smallest.decisions = small.trace;
  interleave::SplitMix seeds(seed);
  for (int preemptions = 0; preemptions < caught->preemptions; ++preemptions) {
    interleave::FewPreemptions strategy(preemptions, static_cast<int>(small.trace.size()));
    for (int i = 0; i < kTries; ++i) {
      Outcome outcome = scheduler.Run(body, strategy, seeds.Next(), {.max_steps = kMaxSteps});
      if (outcome.ok() || DetectorOf(outcome) != caught->detector) continue;
      caught->preemptions = interleave::PreemptionsOf(outcome.decisions);
      caught->smallest.decisions = std::move(outcome.decisions);
      return;
    }
  }
}

}  // namespace

std::optional<Catch> Hunt(const Scenario& scenario, uint64_t seed, int64_t max_schedules) {
  const std::function<void()> body = [&scenario] {
    const std::string wrong = scenario.run();
    interleave::Check(wrong.empty(), wrong);
  };
  const interleave::Options options = {
      .schedules = static_cast<int>(max_schedules), .seed = seed, .max_steps = kMaxSteps};
  const auto begin = std::chrono::steady_clock::now();
  const interleave::Report report = Explore(options, body);
  if (report.ok()) return std::nullopt;
  Catch caught;
  caught.schedules = report.schedules;
  caught.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  caught.detector = DetectorOf(report.outcome);
  caught.text = report.text;
  caught.smallest = report.outcome;
  Shrink(body, seed, &caught);
  Outcome again = ReplayTrace(caught.smallest.decisions, options, body);
  caught.replays = !report.uncontrolled && again.decisions == caught.smallest.decisions &&
                   DetectorOf(again) == caught.detector;
  caught.smallest = std::move(again);
  return caught;
}

std::string MatrixRow(const Scenario& scenario, const Catch& caught) {
  return absl::StrFormat("| %s | %d | %.3f s | %s | %d | %d |", scenario.name, caught.schedules,
                         caught.seconds, caught.detector, caught.preemptions, scenario.nodes);
}

}  // namespace twingrad::mutants
