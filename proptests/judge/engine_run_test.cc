#include "proptests/judge/engine_run.h"

#include "gtest/gtest.h"
#include "proptests/judge/canary.h"

namespace twingrad::judge {
namespace {

TEST(EngineRun, OneEngineServesManyProgramsOnAnyNumberOfThreads) {
  EngineRun run;
  for (int threads : {0, 1, 2, 4, 2, 0}) {
    const oracles::Verdict verdict = JudgeCanary(run(CanaryProgram(), threads));
    EXPECT_EQ(verdict.outcome, oracles::Outcome::kAgree) << verdict.text;
  }
}

}  // namespace
}  // namespace twingrad::judge
