// The tool over the repository's engine: every verb, end to end; and over an engine that is wrong.

#include "proptests/subjects/engine_subject.h"

#include <bit>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "autograd/engine/engine.h"
#include "autograd/runner/run.h"
#include "gtest/gtest.h"
#include "proptests/workers/files.h"
#include "proptests/workers/subprocess.h"

namespace twingrad::oracle {
namespace {

using absl::StrContains;
using twingrad::program::Observation;
using twingrad::program::Program;

constexpr std::string_view kSquare =
    "twingrad 1\n%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\nbackward %y\n";

SubprocessResult Oracle(std::vector<std::string> words, const std::string& input = "") {
  words.insert(words.begin(), "tools/oracle/oracle");
  SubprocessOptions options;
  options.input = input;
  return RunSubprocess(std::move(words), options);
}

// The repository's engine, but each .grad that is 6 is 7.
judge::JudgeOptions WrongEngine() {
  judge::JudgeOptions options;
  options.run = [](const Program& program, int device_threads) {
    twingrad::EngineOptions engine_options;
    engine_options.device_threads = device_threads;
    twingrad::Engine engine(engine_options);
    Observation observation = twingrad::runner::Run(program, engine);
    for (auto& value : observation.values) {
      for (uint64_t& bits : value.grad.bits) {
        if (bits == std::bit_cast<uint64_t>(6.0)) bits = std::bit_cast<uint64_t>(7.0);
      }
    }
    return observation;
  };
  return options;
}

TEST(EngineSubjectTest, AgreesOnARightEngine) {
  const auto subject = MakeEngineSubject();
  ASSERT_TRUE(subject->Configure({}).ok());
  ASSERT_TRUE(subject->Start().ok());
  ASSERT_TRUE(subject->Load(kSquare, "here").ok());
  EXPECT_FALSE(subject->Judge().failed);
  EXPECT_TRUE(
      StrContains(subject->Summarise(subject->counters()), "statements     3, 3.0 a program"));
  EXPECT_TRUE(StrContains(subject->Run(), "%x.grad = f64[] 6")) << subject->Run();
}

TEST(EngineSubjectTest, TellsAWrongEngineAndShrinks) {
  const auto subject = MakeEngineSubject(WrongEngine());
  ASSERT_TRUE(subject->Configure({}).ok());
  ASSERT_TRUE(subject->Start().ok());
  const std::string text = absl::StrCat(kSquare, "%z = leaf type=f64[2] data=1,2\n%w = exp %z\n");
  ASSERT_TRUE(subject->Load(text, "here").ok());
  const Verdict verdict = subject->Judge();
  ASSERT_TRUE(verdict.failed);
  EXPECT_EQ(verdict.oracle, "twin");
  EXPECT_TRUE(StrContains(verdict.expected, "%x.grad = f64[] 6")) << verdict.expected;
  EXPECT_TRUE(StrContains(verdict.actual, "%x.grad = f64[] 7")) << verdict.actual;
  EXPECT_FALSE(verdict.marked.empty());
  EXPECT_TRUE(StrContains(subject->Draw(verdict.marked, true), "color=red"));
  const std::string small = subject->Shrink(text, [&](std::string_view program) {
    return subject->Load(program, "here").ok() && subject->Judge().failed;
  });
  EXPECT_FALSE(StrContains(small, "exp")) << small;
}

TEST(EngineSubjectTest, RefusesUnknownFeaturesAndOps) {
  const auto subject = MakeEngineSubject();
  EXPECT_FALSE(subject->Configure({{"nonsense"}, {}, {}}).ok());
  const std::string message(subject->Configure({{}, {"nonsense"}, {}}).message());
  EXPECT_TRUE(
      absl::StartsWith(message, "[oracle] --ops: unknown word 'nonsense' in the list of ops; "))
      << message;
  EXPECT_TRUE(absl::EndsWith(message, "; see `oracle check --help`")) << message;
  EXPECT_TRUE(subject->Configure({{"-hook"}, {}, {}}).ok());
  EXPECT_TRUE(subject->Configure({{"chain", "view"}, {"mul", "sum"}, {}}).ok());
}

TEST(EngineSubjectTest, CheckFindsNothing) {
  const std::string out = TemporaryFolder::Make("engine-subject-test")->path();
  const SubprocessResult run = Oracle({"check", "--seed=1", "--programs=500", "--out=" + out});
  EXPECT_EQ(run.exit_status, 0) << run.output << run.errors;
  EXPECT_TRUE(StrContains(run.output, "programs       500 in ")) << run.output;
  // Counted in the workers, under the words that --features takes.
  EXPECT_TRUE(StrContains(run.output, "\nfeatures       grad_of_grad ")) << run.output;
  EXPECT_FALSE(StrContains(run.output, "chain 0")) << run.output;
  EXPECT_TRUE(absl::EndsWith(run.output, "findings       none\n")) << run.output;
}

TEST(EngineSubjectTest, RunPrintsTheObservation) {
  const SubprocessResult run = Oracle({"run", "-"}, std::string(kSquare));
  EXPECT_EQ(run.exit_status, 0) << run.errors;
  EXPECT_TRUE(StrContains(run.output, "  %x.grad = f64[] 6\n")) << run.output;
  EXPECT_TRUE(StrContains(run.output, "accumulate_grad@0 dependencies=2")) << run.output;
}

TEST(EngineSubjectTest, RunJudgesExpectations) {
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

TEST(EngineSubjectTest, ExplainDrawsTheGraph) {
  const SubprocessResult run = Oracle({"explain", "-"}, std::string(kSquare));
  EXPECT_EQ(run.exit_status, 0) << run.errors;
  EXPECT_TRUE(StrContains(run.output, "dependencies 2")) << run.output;
}

TEST(EngineSubjectTest, GenerateMakesProgramsThatRun) {
  const SubprocessResult generated = Oracle({"generate", "--seed=7"});
  EXPECT_TRUE(absl::StartsWith(generated.output, "twingrad 1\n")) << generated.output;
  EXPECT_EQ(Oracle({"run", "-"}, generated.output).exit_status, 0);
}

TEST(EngineSubjectTest, AMalformedProgramIsWrongUsage) {
  const SubprocessResult run = Oracle({"run", "-"}, "twingrad 1\n%x = laef\n");
  EXPECT_EQ(run.exit_status, 2);
  EXPECT_TRUE(
      absl::StartsWith(run.errors, "[oracle] standard input holds no Program; [program] 2:6 "))
      << run.errors;
}

}  // namespace
}  // namespace twingrad::oracle
