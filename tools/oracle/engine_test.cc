// The tool over the repository's engine: every verb, end to end.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "proptests/workers/files.h"
#include "proptests/workers/subprocess.h"

namespace twingrad::oracle {
namespace {

using absl::StrContains;
using workers::RunSubprocess;
using workers::SubprocessOptions;
using workers::SubprocessResult;
using workers::TemporaryFolder;

constexpr std::string_view kSquare =
    "twingrad 1\n%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\nbackward %y\n";

SubprocessResult Oracle(std::vector<std::string> words, const std::string& input = "") {
  words.insert(words.begin(), "tools/oracle/oracle_alone");
  SubprocessOptions options;
  options.input = input;
  return RunSubprocess(std::move(words), options);
}

TEST(EngineTest, CheckFindsNothing) {
  const std::string out = TemporaryFolder::Make("engine-test")->path();
  const SubprocessResult run = Oracle({"check", "--seed=1", "--programs=500", "--out=" + out});
  EXPECT_EQ(run.exit_status, 0) << run.output << run.errors;
  EXPECT_TRUE(StrContains(run.output, "programs       500 in ")) << run.output;
  // Counted in the workers, under the words that --features takes.
  EXPECT_TRUE(StrContains(run.output, "\nfeatures       grad_of_grad ")) << run.output;
  EXPECT_FALSE(StrContains(run.output, "chain 0")) << run.output;
  EXPECT_TRUE(absl::EndsWith(run.output, "findings       none\n")) << run.output;
}

TEST(EngineTest, RunPrintsTheObservation) {
  const SubprocessResult run = Oracle({"run", "-"}, std::string(kSquare));
  EXPECT_EQ(run.exit_status, 0) << run.errors;
  EXPECT_TRUE(StrContains(run.output, "  %x.grad = f64[] 6\n")) << run.output;
  EXPECT_TRUE(StrContains(run.output, "accumulate_grad@0 dependencies=2")) << run.output;
}

TEST(EngineTest, RunJudgesExpectations) {
  const std::string right = absl::StrCat(kSquare, "expect %x kind=grad data=6\n");
  const SubprocessResult met = Oracle({"run", "-"}, right);
  EXPECT_EQ(met.exit_status, 0) << met.errors;
  EXPECT_TRUE(absl::EndsWith(met.output, "expectations\n  all met\n")) << met.output;
  const std::string wrong = absl::StrCat(kSquare, "expect %x kind=grad data=7\n");
  const SubprocessResult unmet = Oracle({"run", "-"}, wrong);
  EXPECT_EQ(unmet.exit_status, 1) << unmet.errors;
  EXPECT_TRUE(
      StrContains(unmet.output, "expectations\n  statement 3: expect %x kind=grad: expected "))
      << unmet.output;
}

TEST(EngineTest, ExplainDrawsTheGraph) {
  const SubprocessResult run = Oracle({"explain", "-"}, std::string(kSquare));
  EXPECT_EQ(run.exit_status, 0) << run.errors;
  EXPECT_TRUE(StrContains(run.output, "dependencies 2")) << run.output;
}

TEST(EngineTest, GenerateMakesProgramsThatRun) {
  const SubprocessResult generated = Oracle({"generate", "--seed=7"});
  EXPECT_TRUE(absl::StartsWith(generated.output, "twingrad 1\n")) << generated.output;
  EXPECT_EQ(Oracle({"run", "-"}, generated.output).exit_status, 0);
}

TEST(EngineTest, AMalformedProgramIsWrongUsage) {
  const SubprocessResult run = Oracle({"run", "-"}, "twingrad 1\n%x = laef\n");
  EXPECT_EQ(run.exit_status, 2);
  EXPECT_TRUE(
      absl::StartsWith(run.errors, "[oracle] standard input holds no Program; [program] 2:6 "))
      << run.errors;
}

}  // namespace
}  // namespace twingrad::oracle
