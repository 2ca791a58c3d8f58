// Shrinking against a scheduler that is no more than a table of steps: three threads of ten steps,
// and a failure that takes one departure.
#include "proptests/interleave/checker/schedule_shrink.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "proptests/interleave/strategies/forced_strategy.h"
#include "proptests/interleave/strategies/thread_set.h"

namespace twingrad::interleave {
namespace {

constexpr int kThreads = 3;
constexpr int kSteps = 10;

// Runs the threads' steps in the order that the strategy wants; gives who ran at each step.
Trace RunSteps(Strategy& strategy, std::vector<int>* order, uint64_t seed = 0) {
  Trace trace;
  int done[kThreads] = {};
  int current = 0;
  strategy.Begin(seed);
  order->clear();
  for (int step = 0; step < kThreads * kSteps; ++step) {
    uint64_t runnable = 0;
    for (int t = 0; t < kThreads; ++t) {
      if (done[t] < kSteps) runnable |= Bit(t);
    }
    const int count = CountOf(runnable);
    const int stay = (runnable & Bit(current)) != 0 ? PlaceOf(runnable, current) : -1;
    int chosen = 0;
    if (count > 1) {
      const int at = done[current];
      chosen = strategy.Choose({DecisionKind::kThread, count, stay, 0, current, at, runnable});
      trace.push_back({DecisionKind::kThread, count, chosen, 0, stay, current, at, runnable});
    }
    current = ThreadAt(runnable, chosen);
    ++done[current];
    order->push_back(current);
  }
  return trace;
}

// Thread 2 begins before thread 0 has ended its third step.
bool Fails(const std::vector<int>& order) {
  int zeros = 0;
  for (int thread : order) {
    if (thread == 2) return zeros < 3;
    zeros += thread == 0 ? 1 : 0;
  }
  return false;
}

// Takes the threads in turn: as many departures as steps.
class RoundRobin final : public Strategy {
 public:
  void Begin(uint64_t) override {}
  int Choose(const Question& question) override {
    return question.current < 0 ? 0 : (question.current + 1) % question.alternatives;
  }
  std::string name() const override { return "round_robin"; }
};

TEST(ShrinkScheduleTest, LeavesTheDeparturesThatItTakes) {
  std::vector<int> order;
  RoundRobin round_robin;
  const Trace failing = RunSteps(round_robin, &order);
  ASSERT_TRUE(Fails(order));
  ASSERT_GT(PreemptionsOf(failing), 10);
  int runs = 0;
  const FailingRun run = [&](Strategy& strategy, uint64_t seed) -> std::optional<Trace> {
    ++runs;
    Trace trace = RunSteps(strategy, &order, seed);
    if (!Fails(order)) return std::nullopt;
    return trace;
  };
  const ScheduleShrink small = ShrinkSchedule(failing, run);
  EXPECT_EQ(small.choices.size(), 1u);
  EXPECT_EQ(PreemptionsOf(small.trace), 1);
  EXPECT_EQ(small.attempts, runs);
  ForcedStrategy again(small.choices);
  EXPECT_EQ(RunSteps(again, &order), small.trace);
  EXPECT_TRUE(Fails(order));
}

TEST(ShrinkScheduleTest, KeepsTheTraceThatNothingCanBeTakenFrom) {
  std::vector<int> order;
  RoundRobin round_robin;
  const Trace failing = RunSteps(round_robin, &order);
  const ScheduleShrink small =
      ShrinkSchedule(failing, [](Strategy&, uint64_t) { return std::optional<Trace>(); },
                     {.attempts = 20, .tries = 0});
  EXPECT_EQ(small.trace, failing);
  EXPECT_EQ(small.attempts, 20);
  EXPECT_EQ(small.preemptions, PreemptionsOf(failing));
}

bool BeginsWith(const std::vector<int>& order, const std::vector<int>& begin) {
  return std::equal(begin.begin(), begin.end(), order.begin());
}

TEST(ShrinkScheduleTest, LooksForFewerPreemptionsWhereNoneCanBeDropped) {
  // Either the six changes of the round, or one late change to the last thread.
  std::vector<int> order;
  const FailingRun run = [&](Strategy& strategy, uint64_t seed) -> std::optional<Trace> {
    Trace trace = RunSteps(strategy, &order, seed);
    const bool fails = BeginsWith(order, {1, 2, 0, 1, 2, 0}) || BeginsWith(order, {0, 0, 0, 0, 2});
    if (!fails) return std::nullopt;
    return trace;
  };
  RoundRobin round_robin;
  const Trace failing = *run(round_robin, 0);
  const ScheduleShrink stuck = ShrinkSchedule(failing, run, {.tries = 0});
  EXPECT_EQ(stuck.preemptions, 6);
  const ScheduleShrink small = ShrinkSchedule(failing, run);
  EXPECT_EQ(small.preemptions, 1);
  EXPECT_EQ(PreemptionsOf(small.trace), 1);
  ForcedStrategy again(small.choices);
  EXPECT_EQ(RunSteps(again, &order), small.trace);
}

}  // namespace
}  // namespace twingrad::interleave
