#include "proptests/fuzzing/schedule_finding.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "autograd/program/parse.h"
#include "autograd/program/print.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proptests/interleave/checker/outcome.h"
#include "proptests/interleave/checker/schedule_file.h"
#include "proptests/interleave/engine/program_run.h"
#include "proptests/interleave/strategies/random_strategy.h"
#include "proptests/interleave/strategies/replay_strategy.h"

namespace twingrad::fuzzing {
namespace {

using interleave::ProgramExplorer;
using interleave::ProgramRun;
using ::testing::HasSubstr;

constexpr char kProgram[] =
    "twingrad 1\n%x = leaf type=f64[2] data=3,4 grad=1\n%y = to %x device=dev:0\n"
    "%z = mul %y %y\n%s = sum %z\nbackward %s\n";

std::string ReadFile(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class ScheduleFindingTest : public testing::Test {
 protected:
  static ProgramRun Failing(ProgramExplorer& explorer) {
    interleave::RandomStrategy strategy;
    return explorer.Run(strategy, 1);
  }

  const program::Program program_ = *program::Parse(kProgram);
  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / "schedule_finding";
};

TEST_F(ScheduleFindingTest, IsMinimizedAndReplaysWithoutSites) {
  // Too few steps for any schedule: each is a livelock.
  ProgramExplorer explorer(program_, {.max_steps = 100});
  ProgramRun run = Failing(explorer);
  ASSERT_EQ(run.detector, interleave::OutcomeName(interleave::OutcomeKind::kStepBudget));
  const ScheduleFinding finding =
      MakeFinding(explorer, {.max_steps = 100}, run, std::chrono::seconds(5));
  const auto schedule = interleave::ParseSchedule(finding.schedule);
  ASSERT_TRUE(schedule.ok()) << schedule.status();
  EXPECT_EQ(schedule->program_hash, program::Hash(finding.program));
  EXPECT_EQ(schedule->detector, finding.run.detector);
  for (const auto& decision : schedule->decisions) EXPECT_EQ(decision.site, 0u);
  ProgramExplorer again(finding.program,
                        {.device_threads = schedule->device_threads, .max_steps = 100});
  interleave::ReplayStrategy replay(schedule->decisions);
  EXPECT_EQ(again.Run(replay, 0).detector, finding.run.detector);
}

TEST_F(ScheduleFindingTest, SaysAllAndKeepsItInFiles) {
  ProgramExplorer explorer(program_);
  ScheduleFinding finding = {program_, Failing(explorer), "the schedule\n"};
  finding.run.detector = "deadlock";
  finding.run.failure = "nobody can go on";
  std::filesystem::remove_all(folder_);
  const std::string text = DescribeFinding(finding, folder_.string());
  EXPECT_THAT(text, HasSubstr("[fuzz] deadlock under a schedule of "));
  EXPECT_THAT(text, HasSubstr("nobody can go on\n" + std::string(kProgram) + "the schedule\n"));
  EXPECT_THAT(text,
              HasSubstr("replay: tools/bazel run //tools/oracle -- explore --program=" +
                        (folder_ / "program.txt").string() + " --strategy=replay --schedule=" +
                        (folder_ / "schedule.txt").string() + "\n"));
  EXPECT_EQ(ReadFile(folder_ / "program.txt"), kProgram);
  EXPECT_EQ(ReadFile(folder_ / "schedule.txt"), "the schedule\n");
}

TEST_F(ScheduleFindingTest, ARunOnOneThreadHasNoSchedule) {
  ProgramExplorer explorer(program_);
  ProgramRun run = explorer.single();
  run.detector = "twin";
  const ScheduleFinding finding = MakeFinding(explorer, {}, run, std::chrono::seconds(5));
  EXPECT_EQ(finding.schedule, "");
  EXPECT_EQ(finding.program, program_);
  EXPECT_THAT(DescribeFinding(finding, folder_.string()), HasSubstr("[fuzz] twin on one thread\n"));
}

TEST_F(ScheduleFindingTest, SaysThatItCannotWrite) {
  ProgramExplorer explorer(program_);
  const ScheduleFinding finding = {program_, Failing(explorer), "the schedule\n"};
  const std::string text = DescribeFinding(finding, "/proc/none");
  EXPECT_THAT(text, HasSubstr("[fuzz] cannot write to /proc/none; allowed is "));
  EXPECT_THAT(text, HasSubstr(kProgram));
}

}  // namespace
}  // namespace twingrad::fuzzing
