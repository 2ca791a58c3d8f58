#include "proptests/conformance/conformance.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "proptests/workers/files.h"

namespace twingrad::conformance {
namespace {

GoldenVerdict Golden(std::string id, std::string outcome, std::string oracle = "") {
  GoldenVerdict golden = {std::move(id), {}};
  golden.verdict.failed = outcome == "wrong" || outcome == "crash";
  golden.verdict.outcome = std::move(outcome);
  golden.verdict.oracle = std::move(oracle);
  golden.verdict.text = "what differs\n";
  return golden;
}

ExpectedFailures List(std::string_view text) {
  auto failures = ParseExpectedFailures(text);
  EXPECT_TRUE(failures.ok()) << failures.status();
  return failures.ok() ? *std::move(failures) : ExpectedFailures();
}

constexpr std::string_view kList =
    "entry calls-0001 twin 2027-12-31 why\n"
    "entry hooks-0001 errors 2027-12-31 why\n"
    "signature errors * */none * hooks-0001 2027-12-31 the same\n";

TEST(ConformanceTest, AListThatIsRightIsSilent) {
  const std::vector<GoldenVerdict> goldens = {
      Golden("calls-0001", "wrong", "twin"), Golden("calls-0002", "agree"),
      Golden("calls-0003", "convention", "twin"), Golden("calls-0004", "refuse"),
      Golden("hooks-0001", "explained", "errors")};
  EXPECT_EQ(Complaints(goldens, List(kList)), std::vector<std::string>());
  EXPECT_EQ(PrintExpectedFailures("", Revised(goldens, List(kList), "2030-01-01")), kList);
}

TEST(ConformanceTest, EachDepartureIsTold) {
  const std::vector<GoldenVerdict> goldens = {
      Golden("calls-0001", "agree"), Golden("hooks-0001", "wrong", "gradient type"),
      Golden("views-0001", "crash", "crash"), Golden("views-0002", "explained", "twin")};
  const std::string text = absl::StrJoin(Complaints(goldens, List(kList)), "\n");
  EXPECT_EQ(text,
            "calls-0001 is listed as failing (twin), but its outcome is agree\n"
            "hooks-0001 is listed as failing by errors, but fails by gradient_type\n"
            "what differs\n\n"
            "views-0001 fails (crash) and is not listed\nwhat differs\n\n"
            "views-0002 fails (twin) and is not listed\nwhat differs\n");
  EXPECT_EQ(Complaints({}, List(kList)).size(), 2u);
}

TEST(ConformanceTest, RefusedIsNotFailed) {
  EXPECT_EQ(Complaints({Golden("calls-0001", "refuse"), Golden("hooks-0001", "wrong", "errors")},
                       List(kList)),
            std::vector<std::string>{
                "calls-0001 is listed as failing (twin), but its outcome is refuse"});
}

TEST(ConformanceTest, ARevisedListIsSortedAndRight) {
  const std::vector<GoldenVerdict> goldens = {Golden("views-0001", "crash", "crash"),
                                              Golden("calls-0001", "wrong", "gradient type"),
                                              Golden("hooks-0001", "agree")};
  const ExpectedFailures revised = Revised(goldens, List(kList), "2030-01-01");
  EXPECT_EQ(PrintExpectedFailures("# head\n", revised),
            "# head\n"
            "entry calls-0001 gradient_type 2027-12-31 why\n"
            "entry views-0001 crash 2030-01-01 not looked into: say here why it fails\n");
  EXPECT_EQ(Complaints(goldens, revised), std::vector<std::string>());
}

namespace fs = std::filesystem;

class GoldenRunTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(folder_.ok()); }
  void Write(const std::string& path, const std::string& text) {
    const fs::path whole = fs::path(folder_->path()) / path;
    fs::create_directories(whole.parent_path());
    ASSERT_TRUE(workers::WriteFile(whole.string(), text).ok());
  }
  absl::StatusOr<workers::TemporaryFolder> folder_ = workers::TemporaryFolder::Make("golden-run");
};

TEST_F(GoldenRunTest, EveryGoldenIsJudgedInTheOrderOfIds) {
  Write("golden/programs/calls/calls-0001.twin", "wrong");
  Write("golden/findings/mine/a-0001.twin", "agree");
  Write("golden/programs/calls/README.md", "no golden");
  const auto goldens = JudgeGoldens(
      [](std::string_view program) { return Golden("", std::string(program)).verdict; },
      folder_->path());
  ASSERT_TRUE(goldens.ok()) << goldens.status();
  ASSERT_EQ(goldens->size(), 2u);
  EXPECT_EQ((*goldens)[0].id, "a-0001");
  EXPECT_EQ((*goldens)[1].id, "calls-0001");
  EXPECT_TRUE(GotWrong((*goldens)[1].verdict));
}

TEST_F(GoldenRunTest, AWorkerThatWentDownIsTheOutcome) {
  Write("golden/programs/calls/calls-0001.twin", "");
  const auto goldens = JudgeGoldens(
      [](std::string_view) {
        workers::CaseResult verdict;
        verdict.failed = true;
        verdict.oracle = "crash";
        return verdict;
      },
      folder_->path());
  ASSERT_TRUE(goldens.ok()) << goldens.status();
  EXPECT_EQ(goldens->front().verdict.outcome, "crash");
}

TEST_F(GoldenRunTest, WithoutGoldensNothingCanBeSaid) {
  const auto judge = [](std::string_view) { return workers::CaseResult(); };
  EXPECT_TRUE(absl::IsUnavailable(JudgeGoldens(judge, folder_->path()).status()));
}

TEST_F(GoldenRunTest, WhatDoesNotAgreeHasALineAndAllAreCounted) {
  std::vector<GoldenVerdict> goldens = {
      Golden("calls-0001", "agree"), Golden("calls-0002", "refuse"),
      Golden("calls-0003", "explained"), Golden("calls-0001", "agree")};
  goldens[1].verdict.text = "refuse: no op to\nmore\n";
  goldens[2].verdict.text = "twin: it differs\n";
  EXPECT_EQ(OutcomesText(goldens, 1.25),
            "calls-0002     refuse     refuse: no op to\n"
            "calls-0003     explained  twin: it differs\n"
            "goldens        4 in 1.2 s: agree 2, refuse 1, wrong 1\n");
}

}  // namespace
}  // namespace twingrad::conformance
