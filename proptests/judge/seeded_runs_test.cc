#include "proptests/judge/seeded_runs.h"

#include "proptests/oracles/oracle_test_support.h"

namespace twingrad::judge {
namespace {

using twingrad::program::Program;

TEST(SeededRuns, FiveRunsOfAProgramThatQualifies) {
  int runs = 0;
  const auto run = [&runs](const Program& program) {
    ++runs;
    return twingrad::reference::RunTwin(program).observation;
  };
  const oracles::Trial trial(oracles::kProduct);
  const auto made = MakeSeededRuns(trial.program, run);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(runs, 5);
  EXPECT_EQ(made->once.observed.values[0].grad.bits, trial.observed.values[0].grad.bits);
  EXPECT_NE(made->twice.values[0].grad.bits, trial.observed.values[0].grad.bits);

  const oracles::Trial twice(
      "%x = leaf type=f64[] grad=1\n%y = neg %x\nbackward %y\nbackward %y\n");
  EXPECT_FALSE(MakeSeededRuns(twice.program, run).has_value());
  EXPECT_EQ(runs, 5);
}

TEST(SeededRuns, OneSeedInEightHasThemWhicheverJobTakesIt) {
  int even = 0, odd = 0;
  for (uint64_t seed = 0; seed < 16000; seed += 2) {
    even += IsLawSample(seed) ? 1 : 0;
    odd += IsLawSample(seed + 1) ? 1 : 0;
  }
  EXPECT_NEAR(even, 8000 / kLawSample, 50);
  EXPECT_NEAR(odd, 8000 / kLawSample, 50);
}

}  // namespace
}  // namespace twingrad::judge
