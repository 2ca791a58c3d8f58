// A stop beside a call of a Program: some schedules have one, beside each of its calls, with and
// without a limit; it changes nothing that is seen, and is part of the schedule.
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "autograd/program/parse.h"
#include "gtest/gtest.h"
#include "proptests/interleave/engine/program_run.h"
#include "proptests/interleave/strategies/forced_strategy.h"
#include "proptests/interleave/strategies/random_strategy.h"
#include "proptests/interleave/strategies/replay_strategy.h"

namespace twingrad::interleave {
namespace {

constexpr char kTwoCalls[] = R"(twingrad 1
%x = leaf type=f64[] data=3 grad=1
%y = to %x device=dev:0
%z = mul %y %y
%s = to %x device=dev:1
backward %z retain_graph=1
backward %z %s
)";

// Rules: E15.
TEST(StopBesideTest, IsChosenBesideEachCallAndMakesNoDifference) {
  ProgramExplorer explorer(*program::Parse(kTwoCalls));
  ASSERT_TRUE(explorer.single().ok()) << explorer.single().failure;
  RandomStrategy strategy;
  std::set<std::pair<int32_t, bool>> stops;
  int plain = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    const ProgramRun run = explorer.Run(strategy, seed);
    ASSERT_TRUE(run.ok()) << run.detector << " with seed " << seed << "\n" << run.failure;
    if (run.setting.stop.has_value()) {
      stops.emplace(run.setting.stop->call, run.setting.stop->limit.has_value());
    } else {
      ++plain;
    }
  }
  const std::set<std::pair<int32_t, bool>> all = {{4, false}, {4, true}, {5, false}, {5, true}};
  EXPECT_EQ(stops, all);
  EXPECT_GT(plain, 250);
}

TEST(StopBesideTest, IsRepeatedByTheSchedule) {
  const program::Program program = *program::Parse(kTwoCalls);
  ProgramExplorer explorer(program);
  RandomStrategy strategy;
  uint64_t seed = 1;
  ProgramRun run = explorer.Run(strategy, seed);
  while (!run.setting.stop.has_value()) run = explorer.Run(strategy, ++seed);
  ReplayStrategy replay(run.outcome.decisions);
  const ProgramRun again = explorer.Run(replay, 0);
  EXPECT_TRUE(again.ok() && replay.Finished()) << again.failure << replay.error();
  EXPECT_EQ(SettingText(program, again), SettingText(program, run));
  EXPECT_NE(SettingText(program, run).find("the engine stopped beside `backward %z"),
            std::string::npos);
  // The default schedule has none, so minimizing drops a stop that a failure does not need.
  ForcedStrategy by_default({});
  EXPECT_EQ(SettingText(program, explorer.Run(by_default, 0)), "");
}

TEST(StopBesideTest, IsNotChosenWhereNoWorkerIsToBeStopped) {
  ProgramExplorer explorer(
      *program::Parse("twingrad 1\n%x = leaf type=f64[] grad=1\n%y = neg %x\nbackward %y\n"));
  RandomStrategy strategy;
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    EXPECT_TRUE(explorer.Run(strategy, seed).outcome.decisions.empty());
  }
}

}  // namespace
}  // namespace twingrad::interleave
