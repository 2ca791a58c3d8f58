#include "proptests/oracles/determinism.h"

#include "proptests/oracles/oracle_test_support.h"

namespace twingrad::oracles {
namespace {

TEST(Determinism, SameBitsAgree) {
  Trial trial(kProduct);
  ExpectAgreement(
      JudgeDeterminism(trial.program, trial.observed, trial.expected.observation, true, "runs"));
}

TEST(Determinism, OneBitIsEnough) {
  Trial trial(kProduct);
  trial.observed.values[0].grad.bits[0] ^= 1;
  ExpectFinding(
      JudgeDeterminism(trial.program, trial.observed, trial.expected.observation, true, "runs"),
      "determinism");
}

TEST(Determinism, CountsAndErrorsAreCompared) {
  {
    Trial trial(kProduct);
    ++trial.observed.calls[0].dependencies[1];
    ExpectFinding(
        JudgeDeterminism(trial.program, trial.observed, trial.expected.observation, true, "runs"),
        "determinism");
  }
  {
    Trial trial(kProduct);
    trial.observed.error = {twingrad::ErrorKind::kUser, 5, ""};
    ExpectFinding(
        JudgeDeterminism(trial.program, trial.observed, trial.expected.observation, true, "runs"),
        "determinism");
  }
}

TEST(Determinism, WhatFollowsASurvivedErrorMayDependOnTheTimingOfThreads) {
  Trial trial(kProduct);
  trial.observed.survived = {{twingrad::ErrorKind::kUser, 5, ""}};
  twingrad::program::Observation other = trial.observed;
  other.values[0].grad.bits[0] ^= 1;
  EXPECT_EQ(JudgeDeterminism(trial.program, trial.observed, other, true, "runs").outcome,
            Outcome::kSkipped);
  ExpectFinding(JudgeDeterminism(trial.program, trial.observed, other, false, "runs"),
                "determinism");
  other.survived[0].statement = 3;
  ExpectFinding(JudgeDeterminism(trial.program, trial.observed, other, true, "runs"),
                "determinism");
}

}  // namespace
}  // namespace twingrad::oracles
