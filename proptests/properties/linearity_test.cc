// Laws: the vector-Jacobian product is linear in the seed: twice the seed gives twice the gradient,
// bit for bit; a sum of seeds gives the sum; a zero seed gives zero. No witness is asked but for
// what is exact.

#include <optional>
#include <string>

#include "autograd/reference/twin.h"
#include "gtest/gtest.h"
#include "proptests/judge/engine_run.h"
#include "proptests/oracles/metamorphic.h"
#include "proptests/properties/property.h"

namespace twingrad::properties {
namespace {

using oracles::EditSeeds;
using oracles::MakeSeeded;
using oracles::SeedEdit;
using oracles::SeededProgram;
using twingrad::program::Program;
using twingrad::reference::RunTwin;
using twingrad::reference::TwinResult;

// How many of `programs` Programs of one call had seeds to edit; `judge` gives the text of a
// failure.
template <typename JudgeFunction>
int ForAllSeeded(int programs, const JudgeFunction& judge) {
  judge::EngineRun run;
  int judged = 0;
  ForAll(programs, Features("-error,-grad_of_grad,-calls,-numbers,-hook"),
         [&](const Program& program) {
           const std::optional<SeededProgram> seeded = MakeSeeded(program);
           if (!seeded) return std::string();
           ++judged;
           return TextOf(judge(*seeded, run));
         });
  return judged;
}

TEST(Linearity, TwiceTheSeedGivesTwiceTheGradient) {
  const int judged = ForAllSeeded(3000, [](const SeededProgram& seeded, judge::EngineRun& run) {
    const auto once = run(seeded.program, 0);
    const auto twice = run(EditSeeds(seeded, SeedEdit::kTwice), 0);
    return JudgeTwice(seeded, once, twice);
  });
  EXPECT_GT(judged, 2000);
}

TEST(Linearity, AZeroSeedGivesZero) {
  const int judged = ForAllSeeded(3000, [](const SeededProgram& seeded, judge::EngineRun& run) {
    return JudgeZeroSeed(seeded, run(EditSeeds(seeded, SeedEdit::kZero), 0));
  });
  EXPECT_GT(judged, 2000);
}

TEST(Linearity, ASumOfSeedsGivesTheSum) {
  const int judged = ForAllSeeded(2000, [](const SeededProgram& seeded, judge::EngineRun& run) {
    const Program pattern = EditSeeds(seeded, SeedEdit::kPattern);
    const Program sum = EditSeeds(seeded, SeedEdit::kSum);
    const TwinResult u = RunTwin(seeded.program);
    const TwinResult v = RunTwin(pattern);
    const TwinResult w = RunTwin(sum);
    const auto seen_u = run(seeded.program, 0);
    const auto seen_v = run(pattern, 0);
    const auto seen_w = run(sum, 0);
    return JudgeSum(seeded, {seen_u, u}, {seen_v, v}, {seen_w, w});
  });
  EXPECT_GT(judged, 1200);
}

}  // namespace
}  // namespace twingrad::properties
