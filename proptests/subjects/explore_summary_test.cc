#include "proptests/subjects/explore_summary.h"

#include <chrono>
#include <set>
#include <source_location>
#include <string>
#include <vector>

#include "autograd/sync/model/scheduler.h"
#include "gtest/gtest.h"
#include "proptests/interleave/checker/lock_coverage.h"
#include "proptests/interleave/checker/race_detector.h"

namespace twingrad::subjects {
namespace {

interleave::ExecutionOutcome OutcomeOf(size_t decisions, int64_t steps) {
  interleave::ExecutionOutcome outcome;
  outcome.decisions.resize(decisions);
  outcome.steps = steps;
  return outcome;
}

TEST(ExploreSummary, SaysWhatWasExplored) {
  ExploreStatistics statistics;
  statistics.AddSchedule(OutcomeOf(10, 100), 1, interleave::Memory::kSequential, false, {});
  statistics.AddSchedule(OutcomeOf(20, 100), 2, interleave::Memory::kSequential, false, {});
  statistics.AddSchedule(OutcomeOf(30, 100), 1, interleave::Memory::kBuffered, false,
                         std::chrono::milliseconds(1));
  statistics.EndProgram(std::chrono::milliseconds(2));
  EXPECT_EQ(ExploreSummary(statistics.counters()),
            "schedules      3: 1,500 a second a core\n"
            "buffered       1 of them, under which loads read old values: 1,000 a second a core\n"
            "decisions      60, in 300 steps\n"
            "orders         2 distinct orders of execution\n");
}

TEST(ExploreSummary, SaysHowManySchedulesHadWorkThatRunsLate) {
  ExploreStatistics statistics;
  interleave::ExecutionOutcome outcome = OutcomeOf(2, 10);
  outcome.decisions[1].kind = interleave::DecisionKind::kStream;
  statistics.AddSchedule(outcome, 1, interleave::Memory::kSequential, true,
                         std::chrono::milliseconds(1));
  statistics.AddSchedule(outcome, 2, interleave::Memory::kSequential, false, {});
  statistics.EndProgram(std::chrono::milliseconds(4));
  EXPECT_EQ(ExploreSummary(statistics.counters()),
            "schedules      2: 500 a second a core\n"
            "streams        1 of them, with 1 decisions on work that runs late: 1,000 a second a "
            "core\n"
            "decisions      4, in 20 steps\n"
            "orders         2 distinct orders of execution\n");
}

TEST(ExploreSummary, PairsOfLockSitesAreNotedOnceAndTheUnseenListed) {
  using interleave::RaceDetector;
  ExploreStatistics statistics;
  interleave::LockCoverage& locks = statistics.locks();
  RaceDetector clocks;
  clocks.Spawn(0, 1);
  clocks.Spawn(0, 2);
  const sync::model::Identity mutex;
  // In a folder of the engine's name, so that these lines count as the engine's.
#line 10 "autograd/here.cc"
  const std::source_location first = std::source_location::current();
  const std::source_location second = std::source_location::current();
#line 48 "proptests/subjects/explore_summary_test.cc"
  const auto lock = [&](int thread, const std::source_location& where) {
    locks.OnLock(thread, {sync::model::OperationKind::kLock, &mutex, "m", where}, clocks);
    clocks.Acquire(thread, mutex);
    locks.OnUnlock(thread, &mutex, clocks);
    clocks.Release(thread, mutex);
  };
  lock(1, first);
  lock(2, second);
  const std::vector<std::string> notes = statistics.TakeNotes();
  EXPECT_EQ(notes.size(), 5u);
  EXPECT_TRUE(statistics.TakeNotes().empty());
  std::set<std::string> all(notes.begin(), notes.end());
  EXPECT_EQ(LockSitesSummary(all),
            "lock sites     1 ordered pairs seen of 2 possible (50.0 %)\n"
            "  not seen     autograd/here.cc:11 before autograd/here.cc:10\n"
            "in no pair     0 of 2 lock sites\n");
  locks.Begin();
  clocks.Reset();
  clocks.Spawn(0, 1);
  clocks.Spawn(0, 2);
  lock(2, second);
  lock(1, first);
  for (const std::string& note : statistics.TakeNotes()) all.insert(note);
  all.insert("site autograd/there.cc:12");
  EXPECT_EQ(LockSitesSummary(all),
            "lock sites     2 ordered pairs seen of 2 possible (100.0 %)\n"
            "in no pair     1 of 3 lock sites\n"
            "  alone        autograd/there.cc:12\n");
  EXPECT_EQ(LockSitesSummary({}), "lock sites     0 ordered pairs seen of 0 possible (100.0 %)\n");
}

TEST(ExploreSummary, ProgramsThatTakeMutexesInOppositeOrdersAreAnObjection) {
  ExploreStatistics statistics;
  const auto add = [&statistics](uint64_t seed, const char* held, const char* taken) {
    interleave::LockOrder order;
    order.Begin();
    order.Add({interleave::OperationKind::kLock, nullptr, held, {}},
              {interleave::OperationKind::kLock, nullptr, taken, {}});
    statistics.AddLockOrder(order, seed);
    const std::vector<std::string> notes = statistics.TakeNotes();
    return std::set<std::string>(notes.begin(), notes.end());
  };
  std::set<std::string> notes = add(3, "queue", "task");
  EXPECT_TRUE(add(4, "queue", "task").empty());
  EXPECT_EQ(LockOrderSummary(notes),
            "lock order     1 pairs of mutexes, one taken while the other is held: no cycle\n");
  EXPECT_EQ(LockOrderObjection(notes), "");
  notes.merge(add(5, "task", "queue"));
  EXPECT_NE(LockOrderSummary(notes).find("THEY MAKE A CYCLE"), std::string::npos);
  const std::string objection = LockOrderObjection(notes);
  EXPECT_NE(objection.find("lock task at"), std::string::npos) << objection;
  EXPECT_NE(objection.find("(seed 3)\n"), std::string::npos) << objection;
  EXPECT_NE(objection.find("(seed 5)\n"), std::string::npos) << objection;
}

TEST(ExploreSummary, OrdersCountForEachProgramAndProgramsOfOneThreadAreTold) {
  ExploreStatistics statistics;
  for (int program = 0; program < 3; ++program) {
    statistics.AddSchedule(OutcomeOf(0, 5), 1, interleave::Memory::kSequential, false, {});
    statistics.EndProgram(std::chrono::milliseconds(1));
  }
  statistics.AddSkipped();
  statistics.EndProgram(std::chrono::milliseconds(1));
  const std::string text = ExploreSummary(statistics.counters());
  EXPECT_NE(text.find("orders         3 "), std::string::npos) << text;
  EXPECT_NE(text.find("one thread     3 programs"), std::string::npos) << text;
  EXPECT_NE(text.find("skipped        1 programs"), std::string::npos) << text;
}

TEST(ExploreSummary, AScheduleThatDoesNotFitIsCountedAndSaid) {
  ExploreStatistics statistics;
  EXPECT_EQ(DivergedSummary({}), "");
  statistics.AddDiverged("[here] at decision 3");
  EXPECT_EQ(statistics.counters()[ExploreStatistics::kDiverged], 1u);
  const std::vector<std::string> notes = statistics.TakeNotes();
  EXPECT_EQ(DivergedSummary({notes.begin(), notes.end()}),
            "replay diverged: [here] at decision 3\n");
  EXPECT_EQ(LockSitesSummary({notes.begin(), notes.end()}), LockSitesSummary({}));
  EXPECT_TRUE(statistics.TakeNotes().empty());
}

TEST(ExploreSummary, NumbersOfTwoWorkersAdd) {
  ExploreStatistics one;
  ExploreStatistics two;
  one.AddSchedule(OutcomeOf(10, 100), 1, interleave::Memory::kSequential, false, {});
  one.EndProgram(std::chrono::milliseconds(1));
  two.AddSchedule(OutcomeOf(5, 100), 1, interleave::Memory::kSequential, false, {});
  two.EndProgram(std::chrono::milliseconds(1));
  workers::Counters sum(one.counters().begin(), one.counters().end());
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += two.counters()[i];
  EXPECT_NE(ExploreSummary(sum).find("decisions      15, in 200 steps"), std::string::npos);
}

}  // namespace
}  // namespace twingrad::subjects
