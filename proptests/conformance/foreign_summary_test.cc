// The summary of a run over a foreign engine, from counts that the tests make up.

#include "proptests/conformance/foreign_summary.h"

#include <string>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "proptests/conformance/testing_engines.h"

namespace twingrad::conformance {
namespace {

using absl::StrContains;

TEST(ForeignSummaryTest, CountsAreSharesOfTheProgramsThatCalledTheEngine) {
  ForeignStatistics statistics;
  statistics.base.programs = 2000;
  statistics.ran = 1990;
  statistics.called = 1600;
  statistics.recounted = 1600;
  statistics.predicted = 1200;
  EXPECT_TRUE(StrContains(ForeignSummary(statistics),
                          "counts         1,990 programs ran, 1,600 of them called the engine: "
                          "recounted 1,600 (100.0 %), predicted 1,200 (75.0 %)\n"))
      << ForeignSummary(statistics);
  const nlohmann::json report = nlohmann::json::parse(ForeignReport(statistics));
  EXPECT_EQ(report["called"], 1600);
  EXPECT_EQ(report["recounted"], 1600);
  statistics.called = 0;
  EXPECT_TRUE(StrContains(ForeignSummary(statistics), "ran, none of them called"));
}

TEST(ForeignSummaryTest, EachProgramIsCountedAsItWasJudged) {
  const auto program = Square();
  const Expectation expected = Expect(program, {});
  ForeignStatistics statistics;
  ForeignVerdict judged;
  judged.ran = judged.called = judged.recounted = true;
  CountProgram(program, expected, judged, expected.twin.observation, &statistics);
  judged = {};
  judged.outcome = Outcome::kCrash;
  CountProgram(program, expected, judged, {}, &statistics);
  EXPECT_EQ(statistics.base.programs, 2u);
  EXPECT_EQ(statistics.ran, 1u);
  EXPECT_EQ(statistics.recounted, 1u);
  EXPECT_EQ(statistics.predicted, 0u);
  EXPECT_EQ(statistics.outcomes[static_cast<size_t>(Outcome::kCrash)], 1u);
}

TEST(ForeignSummaryTest, TheReportSaysHowOftenEachTwoFeaturesMet) {
  ForeignStatistics statistics;
  generators::Features both;
  both.set(static_cast<size_t>(generators::Feature::kView));
  both.set(static_cast<size_t>(generators::Feature::kHook));
  for (int i = 0; i < 3; ++i) statistics.drawn.Add(both);
  const nlohmann::json report = nlohmann::json::parse(ForeignReport(statistics));
  EXPECT_EQ(report["feature_pairs"]["view"]["hook"], 3);
  EXPECT_EQ(report["feature_pairs"]["view"]["error"], 0);
}

TEST(ForeignSummaryTest, SaysInHowManyProgramsEachKindOfStatementStands) {
  const auto program = Square();
  Expectation expected = Expect(program, {});
  ForeignStatistics statistics;
  for (int i = 0; i < 3; ++i) CountProgram(program, expected, {}, {}, &statistics);
  expected.twin.skipped = "for no reason";
  CountProgram(program, expected, {}, {}, &statistics);
  const std::string summary = ForeignSummary(statistics);
  EXPECT_TRUE(StrContains(summary, "in programs    leaf 100.0 %")) << summary;
  EXPECT_TRUE(StrContains(summary, "skipped > 1 %  leaf 25.0 %")) << summary;
}

TEST(ForeignSummaryTest, SaysHowManyProgramsEachEntryExplains) {
  ExpectedFailures failures;
  for (const char* id : {"one-0001", "two-0001", "two-0002"}) {
    failures.entries.push_back({id, "", "", ""});
  }
  ForeignStatistics statistics;
  std::set<std::string> notes = {"exp at 0: statement 1"};
  for (const char* entry : {"two-0001", "two-0002", "two-0002"}) {
    notes.insert(CountExplained(failures, entry, &statistics));
  }
  const std::string summary = ForeignSummary(statistics, notes);
  EXPECT_TRUE(StrContains(summary, "\nexplained by   two-0002 2, two-0001 1\n")) << summary;
  EXPECT_FALSE(StrContains(ForeignSummary({}), "explained by"));
}

TEST(ForeignSummaryTest, MoreThanAFiftiethExplainedIsTooMuchWhereChanceIsRuledOut) {
  const auto complaint = [](uint64_t explained, uint64_t programs) {
    ForeignStatistics statistics;
    statistics.base.programs = programs;
    statistics.outcomes[static_cast<size_t>(Outcome::kExplained)] = explained;
    return TooMuchExplained(statistics);
  };
  EXPECT_EQ(complaint(0, 0), "");
  EXPECT_EQ(complaint(2, 50), "");
  EXPECT_EQ(complaint(40, kEnoughForAShare - 1), "");
  EXPECT_EQ(complaint(40, kEnoughForAShare), "");
  EXPECT_EQ(complaint(41, kEnoughForAShare),
            "[oracle] expected failures explain 41 of 2,000 programs; allowed are 2 %; narrow "
            "their signatures\n");
  EXPECT_EQ(complaint(2000, 100000), "");
  EXPECT_TRUE(StrContains(complaint(2001, 100000), "2,001 of 100,000"));
}

}  // namespace
}  // namespace twingrad::conformance
