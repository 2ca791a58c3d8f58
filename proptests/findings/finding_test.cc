#include "proptests/findings/finding.h"

#include <chrono>
#include <optional>
#include <utility>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "proptests/findings/case_text.h"
#include "proptests/findings/shrink_failure.h"
#include "proptests/workers/fake_cases.h"
#include "proptests/workers/files.h"

namespace twingrad::findings {
namespace {

using workers::Failure;
using workers::Prober;
using workers::ReadInput;
using workers::TemporaryFolder;
using workers::WorkerCommand;

class FindingTest : public testing::Test {
 protected:
  FindingTest() {
    command_.limits.timeout = std::chrono::milliseconds(400);
    prober_.emplace(command_);
  }

  Finding Shrunk(const std::string& program, const std::string& oracle) {
    Failure failure;
    failure.index = 4;
    failure.seed = 0xabc;
    failure.program = program;
    failure.result.failed = true;
    failure.result.oracle = oracle;
    failure.result.text = "as found\n";
    absl::StatusOr<Finding> finding =
        ShrinkFailure(failure, cases_, *prober_, command_.limits, ShrinkBudget());
    EXPECT_TRUE(finding.ok()) << finding.status();
    return *std::move(finding);
  }

  // The folder.
  std::string Written(const Finding& finding) {
    return *WriteFinding(finding, folder_.path() + "/out", *prober_, &note_);
  }

  TemporaryFolder folder_ = *TemporaryFolder::Make("finding-test");
  WorkerCommand command_ = workers::FakeWorker(folder_);
  workers::FakeCases cases_;
  std::optional<Prober> prober_;
  std::string note_;
};

TEST_F(FindingTest, ShrinksEveryKind) {
  for (const auto& [fault, oracle] : {std::pair("wrong", "wrong"), std::pair("crash", "crash"),
                                      std::pair("throw", "memory"), std::pair("hang", "hang")}) {
    const Finding finding =
        Shrunk(std::string("value 1\nvalue 2\n") + fault + "\nvalue 3\n", oracle);
    EXPECT_TRUE(finding.repeats) << fault;
    EXPECT_EQ(finding.program, std::string(fault) + "\n");
    EXPECT_EQ(finding.result.oracle, oracle);
    EXPECT_NE(finding.result.text, "as found\n");
    EXPECT_EQ(finding.failure.program, std::string("value 1\nvalue 2\n") + fault + "\nvalue 3\n");
  }
}

TEST_F(FindingTest, DoesNotSlipFromOneOracleToAnother) {
  // Without `crash` the Program is still wrong, but that is another finding.
  EXPECT_EQ(Shrunk("wrong\ncrash\nvalue 3\n", "crash").program, "crash\n");
}

TEST_F(FindingTest, AFailureThatDoesNotShowAgainIsKeptAsFound) {
  const Finding finding = Shrunk("value 1\nvalue 2\n", "twin");
  EXPECT_FALSE(finding.repeats);
  EXPECT_EQ(finding.program, "value 1\nvalue 2\n");
  EXPECT_EQ(finding.result.text, "as found\n");
}

// Seeds whose cases the generator of fakes makes with a `stain`, and one without.
TEST_F(FindingTest, WhatAnEarlierProgramLeavesBehindIsMadeSmallWithIt) {
  ASSERT_TRUE(cases_.Configure({"stain"}, {}).ok());
  command_.flags = {"--features=stain"};
  prober_.emplace(command_);
  Failure failure;
  failure.program = "value 1\nstained\nvalue 2\n";
  failure.seed = 77;
  failure.result.failed = true;
  failure.result.oracle = "stained";
  failure.before = {3, 1, 19, 2, 4};  // of which the first and the third are stains
  Finding finding = *ShrinkFailure(failure, cases_, *prober_, command_.limits, ShrinkBudget());
  EXPECT_TRUE(finding.repeats);
  EXPECT_EQ(finding.program, "stained\n");
  EXPECT_EQ(finding.before, std::vector<std::string>{"stain\n"});
  EXPECT_EQ(KeyOf(finding), "stained: stained after stain");
  const std::string folder = Written(finding);
  EXPECT_EQ(*ReadInput(folder + "/before-1.txt"), "stain\n");
  EXPECT_NE(ReadInput(folder + "/report.txt")
                ->find("note:    it shows after before-1.txt, run first in the same process; "
                       "alone it does not\n"),
            std::string::npos);
  // Without the stains it stays as found.
  failure.before = {1, 2};
  finding = *ShrinkFailure(failure, cases_, *prober_, command_.limits, ShrinkBudget());
  EXPECT_FALSE(finding.repeats);
  EXPECT_EQ(finding.program, failure.program);
  EXPECT_NE(ReadInput(Written(finding) + "/report.txt")
                ->find("in 3 further runs, nor after the 2 Programs that its worker ran before"),
            std::string::npos);
}

// Smaller Programs fail after one that leaves something behind, and would not alone.
TEST_F(FindingTest, WhatSmallerProgramsLeaveBehindDoesNotMakeOthersFail) {
  const Finding finding = Shrunk("value 1\nstain\nvalue 2\nstained\nvalue 3\n", "stained");
  EXPECT_TRUE(finding.repeats);
  EXPECT_EQ(finding.program, "stain\nstained\n");
}

TEST_F(FindingTest, StopsWhenInterrupted) {
  Failure failure;
  failure.program = "value 1\nwrong\n";
  failure.result.oracle = "wrong";
  ShrinkBudget limits;
  limits.interrupted = [] { return true; };
  EXPECT_EQ(ShrinkFailure(failure, cases_, *prober_, command_.limits, limits)->program,
            failure.program);
}

TEST_F(FindingTest, KeysTellKindsApart) {
  Finding a, b;
  a.result.oracle = b.result.oracle = "twin";
  a.program = "twingrad 1\n%a = leaf type=f64[]\n%b = mul %a %a\nbackward %b\n";
  b.program = "twingrad 1\n%x = leaf type=f64[2]\n%y = mul %x %x\nbackward %y\n";
  EXPECT_EQ(KeyOf(a), KeyOf(b));
  EXPECT_EQ(KeyOf(a), "twin: backward leaf mul twingrad");
  b.program += "backward %y\n";
  EXPECT_NE(KeyOf(a), KeyOf(b));
  b.program = a.program;
  b.result.oracle = "dual";
  EXPECT_NE(KeyOf(a), KeyOf(b));
}

TEST_F(FindingTest, WritesAWholeFolder) {
  Finding finding = Shrunk("value 1\nwrong\nvalue 3\n", "wrong");
  finding.origin.flags = " --ops=x --witness=ball";
  finding.origin.case_flags = " --ops=x";
  finding.origin.seed = 77;
  const std::string folder = Written(finding);
  EXPECT_EQ(folder, folder_.path() + "/out/wrong-0000000000000abc");
  EXPECT_EQ(*ReadInput(folder + "/program.txt"), "wrong\n");
  EXPECT_EQ(*ReadInput(folder + "/original.txt"), "value 1\nwrong\nvalue 3\n");
  EXPECT_EQ(*ReadInput(folder + "/expected.txt"), "right\n");
  EXPECT_EQ(*ReadInput(folder + "/actual.txt"), "wrong\n");
  EXPECT_EQ(*ReadInput(folder + "/report.txt"),
            "line 0 is wrong\n  expected: right\n  actual:   wrong\n\n"
            "oracle:  wrong\n"
            "seed:    2748 (program 4 of the run with --seed=77)\n"
            "make:    tools/bazel run //tools/oracle -- generate --seed=2748 --ops=x\n"
            "replay:  tools/bazel run //tools/oracle -- replay " +
                folder + "\n");
  const nlohmann::json description = nlohmann::json::parse(*ReadInput(folder + "/finding.json"));
  EXPECT_EQ(description["oracle"], "wrong");
  EXPECT_EQ(description["seed"], 2748u);
  EXPECT_EQ(description["marked"], nlohmann::json::array({0}));
  if (const absl::StatusOr<std::string> svg = ReadInput(folder + "/graph.svg"); svg.ok()) {
    EXPECT_NE(svg->find("stroke=\"red\""), std::string::npos);
  } else {
    EXPECT_NE(ReadInput(folder + "/graph.dot")->find("color=red"), std::string::npos);
    EXPECT_NE(note_.find("graphviz"), std::string::npos);
  }
}

// The generator makes of a seed what the engine claims to run.
TEST_F(FindingTest, AForeignEngineIsNamedToTheGenerator) {
  Finding finding = Shrunk("value 1\nwrong\n", "wrong");
  finding.origin.engine = "exec:python3 mine.py";
  const std::string folder = Written(finding);
  EXPECT_NE(ReadInput(folder + "/report.txt")
                ->find("-- generate --seed=2748 --engine='exec:python3 mine.py'\nreplay: "),
            std::string::npos);
}

TEST_F(FindingTest, FurtherFilesOfTheVerdictAndHowExploreFoundIt) {
  Finding finding = Shrunk("value 1\nwrong\n", "wrong");
  finding.origin.verb = "explore";
  finding.origin.flags = " --schedules=5";
  finding.origin.limit_flags = " --timeout=2";
  finding.origin.limits.timeout = std::chrono::seconds(2);
  finding.origin.settings = {{"strategy", "pct"}, {"schedules", 5}, {"threads", 3}};
  finding.origin.seed = 77;
  finding.program = JoinCase({"wrong\n", std::nullopt, false, "twingrad-schedule 1\n"});
  finding.result.files["schedule.txt"] = "twingrad-schedule 1\n";
  const std::string folder = Written(finding);
  EXPECT_EQ(*ReadInput(folder + "/schedule.txt"), "twingrad-schedule 1\n");
  EXPECT_EQ(*ReadInput(folder + "/program.txt"), "wrong\n");
  EXPECT_NE(ReadInput(folder + "/report.txt")
                ->find("\nfound:   tools/bazel run //tools/oracle -- explore --seed=77 "
                       "--programs=5 --schedules=5 --timeout=2\nreplay:  "),
            std::string::npos);
  const nlohmann::json description = nlohmann::json::parse(*ReadInput(folder + "/finding.json"));
  EXPECT_EQ(description["verb"], "explore");
  EXPECT_EQ(description["seed"], 2748u);
  EXPECT_EQ(description["strategy"], "pct");
  EXPECT_EQ(description["schedules"], 5u);
  EXPECT_EQ(description["threads"], 3);
  EXPECT_EQ(description["timeout_ms"], 2000u);
}

TEST_F(FindingTest, ASecondFindingOfOneSeedGetsItsOwnFolder) {
  const Finding finding = Shrunk("wrong\n", "wrong");
  const std::string first = Written(finding);
  const std::string second = Written(finding);
  EXPECT_EQ(second, first + "-2");
  EXPECT_NE(ReadInput(second + "/report.txt")->find("replay " + second + "\n"), std::string::npos);
}

TEST_F(FindingTest, AFailureWithoutAProgramHasNoPicture) {
  const Finding finding = Shrunk("", "crash");
  const std::string folder = Written(finding);
  EXPECT_FALSE(ReadInput(folder + "/graph.svg").ok());
  EXPECT_EQ(note_, "");
}

}  // namespace
}  // namespace twingrad::findings
