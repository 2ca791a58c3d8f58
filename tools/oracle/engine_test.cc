// The tool over the repository's engine: every verb, end to end.

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tools/oracle/testing_tool.h"

namespace twingrad::oracle {
namespace {

constexpr std::string_view kSquare =
    "twingrad 1\n%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\nbackward %y\n";

class EngineTest : public ToolTest {
 protected:
  EngineTest() : ToolTest("tools/oracle/oracle_alone") {}
  SubprocessResult Oracle(std::vector<std::string> words, std::string_view input = "") const {
    SubprocessOptions options;
    options.input = input;
    return Tool(std::move(words), options);
  }
};

TEST_F(EngineTest, CheckFindsNothing) {
  const SubprocessResult run = Oracle({"check", "--seed=1", "--programs=500"});
  EXPECT_EQ(run.exit_status, 0) << run.output << run.errors;
  EXPECT_THAT(run.output, HasSubstr("programs       500 in "));
  // Counted in the workers, under the words that --features takes.
  EXPECT_THAT(run.output, HasSubstr("\nfeatures       grad_of_grad "));
  EXPECT_THAT(run.output, Not(HasSubstr("chain 0")));
  EXPECT_THAT(run.output, EndsWith("findings       none\n"));
}

TEST_F(EngineTest, CheckJudgesPlainKernelsToo) {
  const SubprocessResult run = Oracle({"check", "--seed=1", "--programs=100", "--kernels=plain"});
  EXPECT_EQ(run.exit_status, 0) << run.output << run.errors;
  EXPECT_THAT(run.output, HasSubstr("--kernels=plain"));
  EXPECT_THAT(run.output, EndsWith("findings       none\n"));
  EXPECT_THAT(
      Oracle({"check", "--kernels=fast"}).errors,
      HasSubstr("--kernels=fast is no kind of kernels; allowed are best, plain, library; "));
  EXPECT_THAT(Oracle({"check", "--kernels=plain", "--engine=exec:false"}).errors,
              HasSubstr("--kernels has no part in a run of another engine"));
}

TEST_F(EngineTest, CheckJudgesTheKernelsOfLibraries) {
  const SubprocessResult run =
      Oracle({"check", "--seed=1", "--programs=300", "--kernels=library",
              "--ops=conv1d,conv2d,conv3d,conv_transpose2d,matmul,mul,sum"});
  EXPECT_EQ(run.exit_status, 0) << run.output << run.errors;
  EXPECT_THAT(run.output, EndsWith("findings       none\n"));
}

TEST_F(EngineTest, RunPrintsTheObservation) {
  const SubprocessResult run = Oracle({"run", "-"}, kSquare);
  EXPECT_EQ(run.exit_status, 0) << run.errors;
  EXPECT_THAT(run.output, HasSubstr("  %x.grad = f64[] 6\n"));
  EXPECT_THAT(run.output, HasSubstr("accumulate_grad@0 dependencies=2"));
}

TEST_F(EngineTest, RunJudgesExpectations) {
  const std::string right = absl::StrCat(kSquare, "expect %x kind=grad data=6\n");
  const SubprocessResult met = Oracle({"run", "-"}, right);
  EXPECT_EQ(met.exit_status, 0) << met.errors;
  EXPECT_THAT(met.output, EndsWith("expectations\n  all met\n"));
  const std::string wrong = absl::StrCat(kSquare, "expect %x kind=grad data=7\n");
  const SubprocessResult unmet = Oracle({"run", "-"}, wrong);
  EXPECT_EQ(unmet.exit_status, 1) << unmet.errors;
  EXPECT_THAT(unmet.output,
              HasSubstr("expectations\n  statement 3: expect %x kind=grad: expected "));
}

TEST_F(EngineTest, ExplainDrawsTheGraph) {
  const SubprocessResult run = Oracle({"explain", "-"}, kSquare);
  EXPECT_EQ(run.exit_status, 0) << run.errors;
  EXPECT_THAT(run.output, HasSubstr("dependencies 2"));
}

TEST_F(EngineTest, GenerateMakesProgramsThatRun) {
  const SubprocessResult generated = Oracle({"generate", "--seed=7"});
  EXPECT_THAT(generated.output, StartsWith("twingrad 1\n"));
  EXPECT_EQ(Oracle({"run", "-"}, generated.output).exit_status, 0);
}

TEST_F(EngineTest, AMalformedProgramIsWrongUsage) {
  const SubprocessResult run = Oracle({"run", "-"}, "twingrad 1\n%x = laef\n");
  EXPECT_EQ(run.exit_status, 2);
  EXPECT_THAT(run.errors, StartsWith("[oracle] standard input holds no Program; [program] 2:6 "));
}

// Wrong values, races, leaks, crashes and hangs of this engine, each in a shard that nobody knows.
TEST_F(EngineTest, ACampaignFindsEveryPlantedDefect) {
  Written("plan.json", R"({"seed": 1, "shards": 6, "canaries": 5, "jobs": [
      {"programs": 40, "flags": {"timeout": "5s"}}]})");
  ASSERT_EQ(Oracle({"campaign", "plan", "plan.json", "--out=c"}).exit_status, 0);
  EXPECT_EQ(Oracle({"campaign", "work", "c", "--jobs=2"}).exit_status, 0);
  const SubprocessResult merge = Oracle({"campaign", "merge", "c"});
  EXPECT_EQ(merge.exit_status, 0) << merge.output;
  EXPECT_THAT(merge.output, HasSubstr("found 5 of 5 planted defects\n"));
  EXPECT_THAT(merge.output, HasSubstr(": 240 programs in "));
  // What is planted stays so when it is replayed.
  const std::vector<std::string> planted = Findings("c/findings");
  ASSERT_GE(planted.size(), 5u);
  for (const auto& entry : std::filesystem::directory_iterator(planted[0])) {
    const SubprocessResult replay = Oracle({"replay", entry.path().string()});
    EXPECT_EQ(replay.exit_status, 1) << replay.output << replay.errors;
  }
}

}  // namespace
}  // namespace twingrad::oracle
