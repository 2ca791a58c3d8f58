// A failure that the engine is not to blame for: a budget of steps that long runs exceed.
#include "proptests/interleave/engine/program_shrink.h"

#include <cstdint>

#include "autograd/program/parse.h"
#include "gtest/gtest.h"
#include "proptests/interleave/strategies/forced_strategy.h"
#include "proptests/interleave/strategies/random_strategy.h"

namespace twingrad::interleave {
namespace {

using program::Parse;
using program::Program;

constexpr char kLargeProgram[] = R"(twingrad 1
%x = leaf type=f64[2] data=3,4 grad=1
%y = neg %x
%z = mul %y %y
%d = to %z device=dev:1
%e = mul %d %d
%f = sum %e
%u = leaf type=f64[] data=1 device=dev:1
backward %f seeds=%u
)";

// The least budget that one schedule of the Program keeps to.
int64_t StepsOf(const Program& program) {
  ProgramExplorer explorer(program);
  RandomStrategy strategy;
  return explorer.Run(strategy, 1).outcome.steps;
}

TEST(ShrinkProgramFindingTest, ProgramAndScheduleGetSmallerAndStillFailAlike) {
  const Program program = *Parse(kLargeProgram);
  const ProgramOptions options = {.max_steps = StepsOf(program) * 3 / 4};
  ProgramExplorer explorer(program, options);
  ASSERT_TRUE(explorer.single().ok()) << explorer.single().failure;
  RandomStrategy strategy;
  const ProgramRun failing = explorer.Run(strategy, 1);
  ASSERT_EQ(failing.detector, "step budget");
  ASSERT_GT(PreemptionsOf(failing.outcome.decisions), 0);
  const SmallFinding small = ShrinkProgramFinding(
      program, options, failing, {.program_attempts = 60, .schedules_a_program = 2});
  EXPECT_EQ(small.run.signature, failing.signature);
  EXPECT_EQ(small.preemptions, 0);
  EXPECT_LT(small.program.statements.size(), program.statements.size());
  EXPECT_FALSE(small.run.outcome.events.empty());
}

}  // namespace
}  // namespace twingrad::interleave
