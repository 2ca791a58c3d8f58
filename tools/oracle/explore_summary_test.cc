#include "tools/oracle/explore_summary.h"

#include "gtest/gtest.h"

namespace twingrad::oracle {
namespace {

interleave::Outcome OutcomeOf(size_t decisions, int64_t steps) {
  interleave::Outcome outcome;
  outcome.decisions.resize(decisions);
  outcome.steps = steps;
  return outcome;
}

TEST(ExploreSummary, SaysWhatWasExplored) {
  ExploreStatistics statistics;
  statistics.AddSchedule(OutcomeOf(10, 100), 1);
  statistics.AddSchedule(OutcomeOf(20, 100), 2);
  statistics.AddSchedule(OutcomeOf(30, 100), 1);
  statistics.EndProgram(std::chrono::milliseconds(2));
  EXPECT_EQ(ExploreSummary(statistics.counters()),
            "schedules      3: 1,500 a second a core\n"
            "decisions      60, in 300 steps\n"
            "orders         2 distinct orders of execution\n"
            "lock sites     0 ordered pairs seen of 0 possible (100.0 %)\n");
}

TEST(ExploreSummary, OrdersCountForEachProgramAndProgramsOfOneThreadAreTold) {
  ExploreStatistics statistics;
  for (int program = 0; program < 3; ++program) {
    statistics.AddSchedule(OutcomeOf(0, 5), 1);
    statistics.EndProgram(std::chrono::milliseconds(1));
  }
  statistics.AddSkipped();
  statistics.EndProgram(std::chrono::milliseconds(1));
  const std::string text = ExploreSummary(statistics.counters());
  EXPECT_NE(text.find("orders         3 "), std::string::npos) << text;
  EXPECT_NE(text.find("one thread     3 programs"), std::string::npos) << text;
  EXPECT_NE(text.find("skipped        1 programs"), std::string::npos) << text;
}

TEST(ExploreSummary, NumbersOfTwoWorkersAdd) {
  ExploreStatistics one;
  ExploreStatistics two;
  one.AddSchedule(OutcomeOf(10, 100), 1);
  one.EndProgram(std::chrono::milliseconds(1));
  two.AddSchedule(OutcomeOf(5, 100), 1);
  two.EndProgram(std::chrono::milliseconds(1));
  Counters sum(one.counters().begin(), one.counters().end());
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += two.counters()[i];
  EXPECT_NE(ExploreSummary(sum).find("decisions      15, in 200 steps"), std::string::npos);
}

}  // namespace
}  // namespace twingrad::oracle
