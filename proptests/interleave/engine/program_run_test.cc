// The production engine, whole, under the scheduler: Programs on CPU and devices, errors that race,
// several calls.
#include "proptests/interleave/engine/program_run.h"

#include <cstdint>
#include <cstdio>
#include <functional>
#include <set>
#include <string>

#include "autograd/program/parse.h"
#include "gtest/gtest.h"
#include "proptests/interleave/strategies/pct_strategy.h"
#include "proptests/interleave/strategies/random_strategy.h"
#include "proptests/interleave/strategies/replay_strategy.h"

namespace twingrad::interleave {
namespace {

using program::Parse;

// Three branches on three devices and one on the CPU meet in the slot of %x; lanes are so large
// that the order of their sum shows in the bits.
constexpr char kFourBranches[] = R"(twingrad 1
%x = leaf type=f32[3] data=1,1,1 grad=1
%a = leaf type=f32[3] data=100000000,1,-100000000
%b = leaf type=f32[3] data=1,-100000000,100000000
%c = leaf type=f32[3] data=-100000000,100000000,1
%x0 = to %x device=dev:0
%a0 = to %a device=dev:0
%p = mul %x0 %a0
%x1 = to %x device=dev:1
%b1 = to %b device=dev:1
%q = mul %x1 %b1
%x2 = to %x device=dev:2
%c2 = to %c device=dev:2
%r = mul %x2 %c2
%u = mul %x %a
%v = sum %u
%p1 = sum %p
%q1 = sum %q
%r1 = sum %r
backward %p1 %q1 %r1 %v
)";

// A CPU node and a device node throw, unordered; %w may or may not have its gradient by then.
constexpr char kTwoThrow[] = R"(twingrad 1
%x = leaf type=f64[] data=2 grad=1
%y = leaf type=f64[] data=3 grad=1
%w = leaf type=f64[] data=5 grad=1 device=dev:1
%d = to %x device=dev:0
%e = mul %d %d
%f = mul %y %y
hook %f do=throw
hook %e do=throw
%g = mul %w %w
backward %e %f %g
)";

// Runs schedules and expects nothing to be found; gives the orders that were seen. `look` sees each
// run.
std::set<uint64_t> ExpectSound(ProgramExplorer& explorer, Strategy& strategy, int schedules,
                               const std::function<void(const ProgramRun&)>& look = nullptr) {
  EXPECT_TRUE(explorer.single().ok()) << explorer.single().failure;
  EXPECT_FALSE(explorer.skipped().has_value()) << *explorer.skipped();
  std::set<uint64_t> orders;
  for (int seed = 1; seed <= schedules; ++seed) {
    const ProgramRun run = explorer.Run(strategy, static_cast<uint64_t>(seed));
    EXPECT_TRUE(run.ok()) << run.detector << " with seed " << seed << "\n" << run.failure;
    if (!run.ok()) break;
    orders.insert(run.order);
    if (look) look(run);
  }
  std::printf("%d schedules, %zu orders of execution\n", schedules, orders.size());
  return orders;
}

TEST(ProgramRunTest, AWorkerIsShownAtTheLineThatStartsIt) {
  ProgramExplorer explorer(*Parse(kFourBranches));
  RandomStrategy random;
  const ProgramRun run = explorer.Run(random, 1, /*record_events=*/true);
  ASSERT_TRUE(run.ok()) << run.failure;
  int spawns = 0;
  for (const Event& event : run.outcome.events) {
    if (event.operation.kind != sync::model::OperationKind::kSpawn) continue;
    ++spawns;
    const std::string file = event.operation.where.file_name();
    EXPECT_NE(file.find("autograd/engine/worker.cc"), std::string::npos) << file;
  }
  EXPECT_EQ(spawns, 3);
}

TEST(ProgramExplorerTest, BranchesOnThreeDevicesAndTheCpu) {
  ProgramExplorer explorer(*Parse(kFourBranches));
  RandomStrategy strategy;
  EXPECT_GT(ExpectSound(explorer, strategy, 500).size(), 20u);
}

// Rules: F4, F5.
TEST(ProgramExplorerTest, AnyOfTwoErrorsAndOldOrNewGradients) {
  ProgramExplorer explorer(*Parse(kTwoThrow));
  RandomStrategy strategy;
  std::set<bool> defined;
  ExpectSound(explorer, strategy, 500, [&](const ProgramRun& run) {
    ASSERT_TRUE(run.observation.error.has_value());
    EXPECT_EQ(run.observation.error->error, ErrorKind::kUser);
    defined.insert(run.observation.values[2].grad_defined);
  });
  EXPECT_EQ(defined.size(), 2u) << "both are possible";
}

TEST(ProgramExplorerTest, ARunIsItsSeedAndItsTrace) {
  ProgramExplorer explorer(*Parse(kFourBranches));
  RandomStrategy strategy;
  for (uint64_t seed : {1u, 77u, 1234u}) {
    const ProgramRun first = explorer.Run(strategy, seed, /*record_events=*/true);
    const ProgramRun again = explorer.Run(strategy, seed, /*record_events=*/true);
    EXPECT_EQ(first.outcome.decisions, again.outcome.decisions);
    EXPECT_EQ(FormatEvents(first.outcome, 100000), FormatEvents(again.outcome, 100000));
    EXPECT_TRUE(SameEvents(first.outcome, again.outcome));
    ReplayStrategy replay(first.outcome.decisions);
    const ProgramRun replayed = explorer.Run(replay, 0, /*record_events=*/true);
    EXPECT_TRUE(replay.Finished()) << replay.error();
    EXPECT_EQ(replayed.order, first.order);
    EXPECT_EQ(FormatEvents(replayed.outcome, 100000), FormatEvents(first.outcome, 100000));
  }
}

TEST(ProgramExplorerTest, PctFindsNothingEither) {
  LockCoverage locks;
  ProgramExplorer explorer(*Parse(kFourBranches), {.locks = &locks});
  PctStrategy strategy;
  EXPECT_GT(ExpectSound(explorer, strategy, 300).size(), 10u);
  const LockCoverage::Summary summary = locks.Summarize("autograd/engine/");
  EXPECT_GT(summary.seen, 5);
  EXPECT_GE(summary.possible, summary.seen);
}

TEST(ProgramExplorerTest, ProgramsThatTheEngineDoesNotRunAreSkipped) {
  ProgramExplorer explorer(
      *Parse("twingrad 1\n%x = leaf type=f64[] grad=1\nbegin kind=anomaly\nend\n%y = neg %x\n"
             "backward %y\n"));
  ASSERT_TRUE(explorer.skipped().has_value());
  EXPECT_NE(explorer.skipped()->find("anomaly"), std::string::npos);
}

TEST(ProgramExplorerTest, ARunOnOneThreadThatFailsIsAFailureNotSkipped) {
  ProgramExplorer explorer(*Parse(kFourBranches), {.max_steps = 5});
  EXPECT_FALSE(explorer.skipped().has_value()) << *explorer.skipped();
  EXPECT_FALSE(explorer.single().ok());
  EXPECT_EQ(explorer.single().detector, "step budget");
  EXPECT_NE(explorer.single().failure.find("no end after 5 steps"), std::string::npos);
}

}  // namespace
}  // namespace twingrad::interleave
