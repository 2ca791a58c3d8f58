#include "proptests/conformance/golden_run.h"

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "proptests/workers/files.h"

namespace twingrad::conformance {
namespace {

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
      [](std::string_view program) {
        workers::CaseResult verdict;
        verdict.outcome = std::string(program);
        verdict.failed = program == "wrong";
        return verdict;
      },
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
  std::vector<GoldenVerdict> goldens(4);
  goldens[0] = {"calls-0001", {}};
  goldens[0].verdict.outcome = "agree";
  goldens[1] = {"calls-0002", {}};
  goldens[1].verdict.outcome = "refuse";
  goldens[1].verdict.text = "refuse: no op to\nmore\n";
  goldens[2] = {"calls-0003", {}};
  goldens[2].verdict.outcome = "explained";
  goldens[2].verdict.text = "twin: it differs\n";
  goldens[3] = goldens[0];
  EXPECT_EQ(OutcomesText(goldens, 1.25),
            "calls-0002     refuse     refuse: no op to\n"
            "calls-0003     explained  twin: it differs\n"
            "goldens        4 in 1.2 s: agree 2, refuse 1, wrong 1\n");
}

}  // namespace
}  // namespace twingrad::conformance
