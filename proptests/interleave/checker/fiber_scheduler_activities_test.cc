// What goes on beside the threads: who may go on, what is a decision, and what of it is an event.
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "autograd/sync/activity.h"
#include "gtest/gtest.h"
#include "proptests/interleave/checker/explore.h"
#include "proptests/interleave/checker/fiber_scheduler.h"
#include "proptests/interleave/strategies/forced_strategy.h"
#include "proptests/interleave/strategies/random_strategy.h"

namespace twingrad::interleave {
namespace {

// Two activities with one piece of work each; what has gone on until the thread has what it waits
// for, in order.
std::string GoOnUntil(int waited_for) {
  std::string done;
  for (uint64_t able = 0b11; (able >> waited_for & 1) != 0;) {
    const int next = sync::ChooseActivity(able, waited_for);
    sync::NoteActivity(next, [&] {
      return sync::ActivityStep{"queue " + std::to_string(next), "piece"};
    });
    able &= ~(uint64_t{1} << next);
    done += std::to_string(next);
  }
  return done;
}

TEST(ActivitiesTest, WhileAThreadWaitsAnyMayGoOn) {
  std::set<std::string> seen;
  const Report report = Explore({.schedules = 50}, [&] { seen.insert(GoOnUntil(1)); });
  EXPECT_TRUE(report.ok()) << report.text;
  EXPECT_EQ(seen, (std::set<std::string>{"1", "01"}));
}

TEST(ActivitiesTest, AThreadThatNeedNotWaitMayGoOnWithNone) {
  std::set<int> seen;
  Explore({.schedules = 100},
          [&] { seen.insert(sync::ChooseActivity(/*able=*/0b101, sync::kNoActivity)); });
  EXPECT_EQ(seen, (std::set<int>{sync::kNoActivity, 0, 2}));
}

TEST(ActivitiesTest, TheUsualIsAsLateAsPossible) {
  FiberScheduler scheduler;
  ForcedStrategy usual({});
  std::vector<int> chosen;
  const auto body = [&] {
    chosen = {sync::ChooseActivity(0b110, sync::kNoActivity), sync::ChooseActivity(0b110, 2)};
  };
  const ExecutionOutcome outcome = scheduler.Run(body, usual, 0, {});
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  EXPECT_EQ(chosen, (std::vector<int>{sync::kNoActivity, 2}));
  ASSERT_EQ(outcome.decisions.size(), 2u);
  EXPECT_EQ(outcome.decisions[0].kind, DecisionKind::kStream);
  EXPECT_EQ(outcome.decisions[0].alternatives, 3);
  EXPECT_EQ(outcome.decisions[1].alternatives, 2);
  EXPECT_NE(outcome.decisions[0].step, outcome.decisions[1].step);
  EXPECT_TRUE(ForcedChoicesOf(outcome.decisions).empty());
}

TEST(ActivitiesTest, WhatIsAloneIsNoDecision) {
  FiberScheduler scheduler;
  RandomStrategy random;
  const auto body = [] { Check(sync::ChooseActivity(0b100, 2) == 2, "[test] another activity"); };
  const ExecutionOutcome outcome = scheduler.Run(body, random, 1, {});
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  EXPECT_TRUE(outcome.decisions.empty());
}

TEST(ActivitiesTest, EventsNameThemAfterTheThreadsAndAreTheSameAgain) {
  const auto body = [] { GoOnUntil(1); };
  ExecutionOutcome outcome;
  for (uint64_t seed = 1; outcome.events.size() < 2; ++seed) outcome = RunSeed(seed, {}, body);
  EXPECT_EQ(outcome.thread_names, (std::vector<std::string>{"main", "queue 0", "queue 1"}));
  EXPECT_EQ(outcome.events[0].thread, 1);
  EXPECT_EQ(outcome.events[1].thread, 2);
  EXPECT_STREQ(outcome.events[0].operation.name, "piece");
  EXPECT_TRUE(SameEvents(outcome, ReplayTrace(outcome.decisions, {}, body)));
}

TEST(ActivitiesTest, OutsideAnExecutionOnlyWhatIsWaitedForGoesOn) {
  EXPECT_EQ(sync::ChooseActivity(0b11, sync::kNoActivity), sync::kNoActivity);
  EXPECT_EQ(sync::ChooseActivity(0b11, 1), 1);
}

}  // namespace
}  // namespace twingrad::interleave
