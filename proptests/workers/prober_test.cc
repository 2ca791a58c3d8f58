#include "proptests/workers/prober.h"

#include "gtest/gtest.h"
#include "proptests/workers/fake_cases.h"
#include "proptests/workers/files.h"

namespace twingrad::workers {
namespace {

class ProberTest : public testing::Test {
 protected:
  TemporaryFolder folder_ = *TemporaryFolder::Make("prober-test");
  WorkerCommand command_ = FakeWorker(folder_);
};

TEST_F(ProberTest, GivesAVerdictWhateverTheProgramDoes) {
  Prober prober(command_);
  EXPECT_FALSE(prober.Judge("value 1\n")->failed);
  EXPECT_EQ(prober.Judge("wrong\n")->oracle, "wrong");
  EXPECT_EQ(prober.Judge("crash\n")->oracle, "crash");
  EXPECT_EQ(prober.Judge("throw\n")->oracle, "memory");
  EXPECT_FALSE(prober.Judge("value 1\n")->failed);
  prober.SetTimeout(std::chrono::milliseconds(200));
  const CaseResult hang = *prober.Judge("hang\n");
  EXPECT_EQ(hang.oracle, "hang");
  EXPECT_EQ(
      hang.text,
      "hang while judging the program\n  ended by: no end after 0.2 s\n  it said:  nothing\n");
}

// What a process keeps of one case shows in a later one of the same process alone.
TEST_F(ProberTest, JudgesAfterOthers) {
  Prober prober(command_);
  EXPECT_FALSE(prober.Judge("stained\n")->failed);
  EXPECT_EQ(prober.JudgeAfter({"value 1\n", "stain\n"}, "stained\n")->oracle, "stained");
  EXPECT_FALSE(prober.Judge("stained\n")->failed);  // in a fresh worker again
  EXPECT_FALSE(prober.JudgeAfter({"value 1\n"}, "stained\n")->failed);
  EXPECT_EQ(prober.JudgeAfter({"value 1\n"}, "crash\n")->oracle, "crash");
  EXPECT_FALSE(prober.JudgeAfter({"crash\n"}, "crash 2\n")->failed);
}

TEST_F(ProberTest, GeneratesWhatAWorkerDoes) {
  Prober prober(command_);
  FakeCases cases;
  EXPECT_EQ(*prober.Generate(5), cases.Generate(5));
}

TEST_F(ProberTest, CallsItsOwnerWhileItWaits) {
  int calls = 0;
  Prober prober(command_, [&] { ++calls; });
  prober.SetTimeout(std::chrono::milliseconds(300));
  ASSERT_TRUE(prober.Judge("hang\n").ok());
  EXPECT_GE(calls, 2);
}

TEST_F(ProberTest, RefusesMalformedPrograms) {
  Prober prober(command_);
  EXPECT_EQ(prober.Judge("valeu\n").status().message(),
            "[fake] program:1:1: unknown word `valeu`; allowed is value; mend the line");
  EXPECT_FALSE(prober.Judge("value 1\n")->failed);
}

TEST_F(ProberTest, Draws) {
  Prober prober(command_);
  EXPECT_EQ(*prober.Draw("value 1\nwrong\n", {1}),
            "digraph {\n  n0 [label=\"value 1\"];\n  n1 [label=\"wrong\" color=red];\n}\n");
}

TEST_F(ProberTest, TellsWhatADeadWorkerKeptInItsScratchMemory) {
  command_.read_scratch = FakeCases::ReadScratch;
  Prober prober(command_);
  const CaseResult crash = *prober.Judge("value 1\ncrash\n");
  EXPECT_NE(crash.text.find("\n  at line:  crash\n"), std::string::npos) << crash.text;
  EXPECT_EQ(prober.Judge("value 1\nwrong\n")->text.find("at line"), std::string::npos);
}

TEST_F(ProberTest, Describes) {
  Prober prober(command_);
  EXPECT_EQ(*prober.Describe(), nlohmann::json({{"name", "fake"}}));
}

TEST_F(ProberTest, SaysThatAnEngineCannotStart) {
  command_.flags = {"--ops=cannot_start"};
  Prober prober(command_);
  const absl::Status status = prober.Judge("value 1\n").status();
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_EQ(status.message(), "[fake] no engine here; needed is one; look elsewhere");
}

}  // namespace
}  // namespace twingrad::workers
