// Values and gradients beside balls.

#include "autograd/reference/ball/ball.h"

#include "proptests/oracles/oracle_test_support.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

using twingrad::reference::DualResult;
using twingrad::reference::RunDual;
using twingrad::reference::ball::BallResult;
using twingrad::reference::ball::Refusal;
using twingrad::reference::ball::RunBall;

constexpr char kRounded[] =
    "%x = leaf type=f64[] data=0.5 grad=1\n%y = exp %x\n%z = tanh %y\nbackward %z\n";

TEST(BallOracle, AllAgree) {
  for (const char* text : {kProduct, kRounded}) {
    Trial trial(text);
    const DualResult dual = RunDual(trial.program);
    const Verdict verdict = JudgeBall(trial.evidence(), RunBall(trial.program), &dual);
    ExpectAgreement(verdict);
    EXPECT_GE(verdict.compared.elements_in_balls, 4u);
    EXPECT_EQ(verdict.compared.elements_without_ball, 0u);
  }
}

// Who is wrong is named: the engine, the twin, the dual numbers.
TEST(BallOracle, WhoIsWrongIsNamed) {
  Trial trial(kRounded);
  const BallResult ball = RunBall(trial.program);
  DualResult dual = RunDual(trial.program);
  const uint64_t right = trial.observed.values[0].grad.bits[0];

  trial.observed.values[0].grad.bits[0] = right + 4096;
  const Verdict engine = JudgeBall(trial.evidence(), ball, &dual);
  ExpectFinding(engine, "ball");
  EXPECT_NE(engine.text.find("\n  actual "), std::string::npos) << engine.text;

  trial.expected.observation.values[0].grad.bits[0] = right + 4096;
  const Verdict twin = JudgeBall(trial.evidence(), ball, &dual);
  ExpectFinding(twin, "ball");
  EXPECT_NE(twin.text.find("\n  twin "), std::string::npos) << twin.text;

  trial.observed.values[0].grad.bits[0] = right;
  trial.expected.observation.values[0].grad.bits[0] = right;
  dual.grads[0].data[0] += 1e-9;
  const Verdict numbers = JudgeBall(trial.evidence(), ball, &dual);
  ExpectFinding(numbers, "ball");
  EXPECT_NE(numbers.text.find("\n  dual "), std::string::npos) << numbers.text;
}

TEST(BallOracle, AMissingGradientIsFound) {
  Trial trial(kProduct);
  trial.observed.values[1].grad_defined = false;
  ExpectFinding(JudgeBall(trial.evidence(), RunBall(trial.program), nullptr), "ball");
}

// A bound of 0 says that all engines give these bits.
TEST(BallOracle, ABoundThatIsTooNarrowIsFound) {
  Trial trial(kRounded);
  ExpectAgreement(JudgeBall(trial.evidence(), RunBall(trial.program), nullptr));
  trial.expected.grad_bounds[0].bound[0] = 0;
  ExpectFinding(JudgeBall(trial.evidence(), RunBall(trial.program), nullptr), "ball");
}

TEST(BallOracle, WhatDoesNotApplyIsSkipped) {
  Trial trial(kProduct);
  BallResult ball;
  ball.refusal = Refusal::kNestedCall;
  const Verdict verdict = JudgeBall(trial.evidence(), ball, nullptr);
  EXPECT_EQ(verdict.outcome, Outcome::kSkipped);
  EXPECT_EQ(verdict.text, "a hook or custom function that runs backward");
}

TEST(BallOracle, ASecondOpinionIsALineAndMoreWhereItContradicts) {
  Trial trial(kProduct);
  const BallResult ball = RunBall(trial.program);
  bool contradicts = true;
  EXPECT_EQ(BallOpinion(trial.program, trial.expected, ball, &contradicts),
            "  balls: the exact numbers are the twin's, within its bounds\n");
  EXPECT_FALSE(contradicts);
  trial.expected.observation.values[0].grad.bits[0] = Number(-1);
  const std::string text = BallOpinion(trial.program, trial.expected, ball, &contradicts);
  EXPECT_TRUE(contradicts);
  EXPECT_EQ(text.find("  balls: the exact numbers contradict the twin\nball: .grad of %x"), 0u)
      << text;
}

}  // namespace
}  // namespace twingrad::oracles
