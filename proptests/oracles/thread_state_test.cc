// A call leaves its thread as it was.

#include <cstdint>

#include "absl/strings/match.h"
#include "proptests/oracles/oracle_test_support.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

TEST(ThreadState, WhateverACallLeavesChangedIsFoundAndNamed) {
  Trial trial(kProduct);
  ExpectAgreement(JudgeThreadState(trial.program, trial.observed));
  for (int part = 0; part < program::kNumThreadParts; ++part) {
    trial.observed.calls[0].left_changed = uint32_t{1} << part;
    for (const bool failed : {false, true}) {
      trial.observed.calls[0].failed = failed;
      const Verdict verdict = JudgeThreadState(trial.program, trial.observed);
      ExpectFinding(verdict, "thread state");
      EXPECT_TRUE(absl::StrContains(verdict.text, program::kThreadPartNames[part])) << verdict.text;
      EXPECT_EQ(absl::StrContains(verdict.text, "failed"), failed) << verdict.text;
    }
  }
}

}  // namespace
}  // namespace twingrad::oracles
