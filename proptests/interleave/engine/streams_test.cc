// Work on streams of a simulated accelerator under schedules: every order that the events allow is
// reached, none other is, and the decisions are of the schedule.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "autograd/device/sim_device.h"
#include "autograd/program/parse.h"
#include "gtest/gtest.h"
#include "proptests/interleave/checker/explore.h"
#include "proptests/interleave/checker/schedule_file.h"
#include "proptests/interleave/checker/schedule_shrink.h"
#include "proptests/interleave/engine/program_run.h"
#include "proptests/interleave/strategies/forced_strategy.h"
#include "proptests/interleave/strategies/pct_strategy.h"
#include "proptests/interleave/strategies/random_strategy.h"
#include "proptests/interleave/strategies/replay_strategy.h"
#include "proptests/interleave/strategies/strategies.h"

namespace twingrad::interleave {
namespace {

constexpr size_t kBytes = sizeof(double);

// Two streams that write to one place.
struct TwoWriters {
  SimDevice sim{DeviceType::kLate};
  Stream a = sim.CreateStream(0), b = sim.CreateStream(0);
  double* x = static_cast<double*>(sim.Allocate(kBytes, a));

  void Write(Stream stream, double value) {
    sim.Launch(stream, {{x, kBytes, true}}, "write", [to = x, value] { *to = value; });
  }
  // What the later one left, once both have run.
  double WriteBoth(bool in_order) {
    Write(a, 1);
    if (in_order) {
      const std::unique_ptr<twingrad::Event> event = sim.CreateEvent(0);
      event->Record(a);
      event->MakeWait(b);
    }
    Write(b, 2);
    sim.SynchronizeDevice(0);
    return *x;
  }
};

TEST(StreamsTest, WorkInNoOrderRunsInBothAndIsReportedInEach) {
  for (const StrategyRow& row : Strategies()) {
    const auto strategy = MakeStrategy(row.name);
    ASSERT_TRUE(strategy.ok()) << strategy.status();
    std::set<double> seen;
    int reported = 0;
    const Report report = interleave::Explore({.schedules = 100, .strategy = strategy->get()}, [&] {
      TwoWriters writers;
      seen.insert(writers.WriteBoth(/*in_order=*/false));
      reported += writers.sim.TakeReports().empty() ? 0 : 1;
    });
    EXPECT_TRUE(report.ok()) << report.text;
    EXPECT_EQ(seen, (std::set<double>{1, 2})) << row.name;
    EXPECT_EQ(reported, report.schedules) << row.name;
  }
}

TEST(StreamsTest, AnEventForbidsTheOtherOrder) {
  for (const StrategyRow& row : Strategies()) {
    const auto strategy = MakeStrategy(row.name);
    ASSERT_TRUE(strategy.ok()) << strategy.status();
    const Report report = interleave::Explore({.schedules = 100, .strategy = strategy->get()}, [] {
      TwoWriters writers;
      Check(writers.WriteBoth(/*in_order=*/true) == 2, "[test] the first write came last");
      Check(writers.sim.TakeReports().empty(), "[test] a report of work in order");
    });
    EXPECT_TRUE(report.ok()) << row.name << "\n" << report.text;
  }
}

TEST(StreamsTest, WorkMayHaveRunBeforeTheHostWaitsAndNeedNot) {
  std::set<bool> seen;
  interleave::Explore({.schedules = 200}, [&] {
    TwoWriters writers;
    writers.Write(writers.a, 1);
    const std::unique_ptr<twingrad::Event> event = writers.sim.CreateEvent(0);
    event->Record(writers.a);
    seen.insert(event->IsReached());
  });
  EXPECT_EQ(seen.size(), 2u);
}

// --- A schedule with decisions on streams ---

// Fails if the second write is overtaken.
void MustKeepOrder() {
  TwoWriters writers;
  Check(writers.WriteBoth(/*in_order=*/false) == 2, "[test] the first write came last");
}

std::optional<Trace> FailingTrace(Strategy& strategy, uint64_t seed) {
  FiberScheduler scheduler;
  ExecutionOutcome outcome = scheduler.Run(MustKeepOrder, strategy, seed, {});
  if (outcome.ok()) return std::nullopt;
  return std::move(outcome.decisions);
}

Trace SmallFailure() {
  RandomStrategy random;
  std::optional<Trace> trace;
  for (uint64_t seed = 1; !trace && seed <= 100; ++seed) trace = FailingTrace(random, seed);
  if (!trace) return {};
  const ScheduleShrink small = ShrinkSchedule(*trace, FailingTrace);
  EXPECT_EQ(small.preemptions, 0);
  EXPECT_EQ(small.choices.size(), 1u) << "one stream is late, and nothing else is out of the usual";
  return small.trace;
}

TEST(StreamsTest, ASmallScheduleHasOneDecisionAndReplaysFromItsText) {
  const Trace small = SmallFailure();
  ASSERT_FALSE(small.empty());
  const std::string text = PrintSchedule({.program_hash = 1,
                                          .device_threads = 1,
                                          .strategy = "random",
                                          .seed = 1,
                                          .detector = "",
                                          .decisions = small});
  EXPECT_NE(text.find("\nstream 1/2 "), std::string::npos) << text;
  const auto read = ParseSchedule(text, "test");
  ASSERT_TRUE(read.ok()) << read.status();
  const ExecutionOutcome first = ReplayTrace(read->decisions, {}, MustKeepOrder);
  const ExecutionOutcome second = ReplayTrace(read->decisions, {}, MustKeepOrder);
  EXPECT_EQ(first.kind, OutcomeKind::kFailedCheck) << first.message;
  EXPECT_TRUE(SameEvents(first, second));
  // Each stream that went on has a name, like a thread, and each piece of its work is an event.
  const std::string events = FormatEvents(first, 100);
  const size_t late = events.find("late:0 stream 8"), early = events.find("late:0 stream 9");
  ASSERT_NE(late, std::string::npos) << events;
  ASSERT_NE(early, std::string::npos) << events;
  EXPECT_LT(early, late) << events;
  EXPECT_NE(events.find("work        write"), std::string::npos) << events;
}

TEST(StreamsTest, AnotherDecisionThereDoesNotFit) {
  Trace trace = SmallFailure();
  ASSERT_FALSE(trace.empty());
  ++trace.back().alternatives;
  const ExecutionOutcome outcome = ReplayTrace(trace, {}, MustKeepOrder);
  EXPECT_EQ(outcome.kind, OutcomeKind::kDivergedReplay);
  EXPECT_NE(outcome.message.find("recorded stream of 3"), std::string::npos) << outcome.message;
}

// --- Programs ---

constexpr char kTwoStreams[] = R"(twingrad 1
%x = leaf type=f64[2] data=1,2 grad=1 device=dev:0
%y = mul %x %x
stream id=s device=dev:0 waits=1
%z = neg %x
%s = sum %z
%t = sum %y
%u = add %s %t
%c = to %u device=cpu
backward %c
)";

bool HasStreamDecision(const ProgramRun& run) {
  return std::ranges::any_of(run.outcome.decisions, [](const Decision& decision) {
    return decision.kind == DecisionKind::kStream;
  });
}

TEST(StreamsTest, AProgramWhoseStreamsAreInOrderIsRightHoweverLateItsWorkRuns) {
  ProgramExplorer explorer(*program::Parse(kTwoStreams));
  ASSERT_TRUE(explorer.runs_late());
  ASSERT_FALSE(explorer.skipped().has_value()) << *explorer.skipped();
  ASSERT_TRUE(explorer.single().ok()) << explorer.single().failure;
  PctStrategy strategy;
  int with_decisions = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const ProgramRun run = explorer.Run(strategy, seed);
    ASSERT_TRUE(run.ok()) << run.detector << " with seed " << seed << "\n" << run.failure;
    with_decisions += HasStreamDecision(run) ? 1 : 0;
  }
  EXPECT_GT(with_decisions, 100);
}

TEST(StreamsTest, AProgramsScheduleReplaysAndShowsItsStreams) {
  ProgramExplorer explorer(*program::Parse(kTwoStreams));
  RandomStrategy random;
  ProgramRun run = explorer.Run(random, 1);
  for (uint64_t seed = 2; !HasStreamDecision(run) && seed < 50; ++seed) {
    run = explorer.Run(random, seed);
  }
  ASSERT_TRUE(HasStreamDecision(run));
  ReplayStrategy replay(run.outcome.decisions);
  const ProgramRun again = explorer.Run(replay, 0, /*record_events=*/true);
  EXPECT_TRUE(again.ok()) << again.failure;
  EXPECT_TRUE(replay.Finished());
  EXPECT_EQ(again.outcome.decisions, run.outcome.decisions);
  EXPECT_TRUE(std::ranges::any_of(again.outcome.thread_names, [](const std::string& name) {
    return name.starts_with("late:0 stream ");
  }));
}

TEST(StreamsTest, WorkRunsAtOnceWithoutStreamsAndWhereItIsInNoOrder) {
  for (const char* lines : {"%y = mul %x %x\n", "stream id=s device=dev:0\n%y = mul %x %x\n"}) {
    ProgramExplorer explorer(
        *program::Parse(std::string("twingrad 1\n%x = leaf type=f64[2] data=1,2 grad=1 "
                                    "device=dev:0\n") +
                        lines + "%s = sum %y\nbackward %s\n"));
    EXPECT_FALSE(explorer.runs_late()) << lines;
    RandomStrategy strategy;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      const ProgramRun run = explorer.Run(strategy, seed);
      ASSERT_TRUE(run.ok()) << run.detector << "\n" << run.failure;
      EXPECT_FALSE(HasStreamDecision(run));
    }
  }
}

}  // namespace
}  // namespace twingrad::interleave
