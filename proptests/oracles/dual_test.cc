// Values and gradients beside the dual numbers.

#include "proptests/oracles/oracle_test_support.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

using twingrad::reference::DualResult;
using twingrad::reference::RunDual;

TEST(DualOracle, TheWitnessesAgree) {
  Trial trial(kProduct);
  const DualResult dual = RunDual(trial.program);
  EXPECT_EQ(dual.order_judged, 1);
  ExpectAgreement(JudgeDual(trial.evidence(), dual));
}

TEST(DualOracle, AWrongGradientIsFound) {
  Trial trial(kProduct);
  const DualResult dual = RunDual(trial.program);
  trial.observed.values[1].grad.bits[0] = Number(-1);
  ExpectFinding(JudgeDual(trial.evidence(), dual), "dual");
}

TEST(DualOracle, AMissingGradientIsFound) {
  Trial trial(kProduct);
  const DualResult dual = RunDual(trial.program);
  trial.observed.values[1].grad_defined = false;
  ExpectFinding(JudgeDual(trial.evidence(), dual), "dual");
}

TEST(DualOracle, WhatDoesNotApplyIsSkipped) {
  Trial trial(kProduct);
  DualResult dual;
  dual.not_applicable = "a reason";
  const Verdict verdict = JudgeDual(trial.evidence(), dual);
  EXPECT_EQ(verdict.outcome, Outcome::kSkipped);
  EXPECT_EQ(verdict.text, "a reason");
}

}  // namespace
}  // namespace twingrad::oracles
