// Values and gradients beside balls.

#include <cmath>
#include <cstdint>
#include <string>

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

// A finite number where the exact one is beyond the format.
TEST(BallOracle, ANumberThatShouldBeInfiniteIsFound) {
  Trial trial(
      "%x = leaf type=f64[] data=0 grad=1\n%a = leaf type=f64[] data=1e-310 grad=1\n"
      "%y = pow %a %x\n%d = grad %y inputs=%a create_graph=1\nbackward %d\n");
  const BallResult ball = RunBall(trial.program);
  ExpectAgreement(JudgeBall(trial.evidence(), ball, nullptr));
  trial.expected.grad_bounds[0].bound = {};
  ExpectAgreement(JudgeBall(trial.evidence(), ball, nullptr));
  trial.observed.values[0].grad.bits[0] = Number(0);
  ExpectFinding(JudgeBall(trial.evidence(), ball, nullptr), "ball");
}

// A bound of 0 says that all engines give these bits.
TEST(BallOracle, ABoundThatIsTooNarrowIsFound) {
  Trial trial(kRounded);
  ExpectAgreement(JudgeBall(trial.evidence(), RunBall(trial.program), nullptr));
  trial.expected.grad_bounds[0].bound = {};
  ExpectFinding(JudgeBall(trial.evidence(), RunBall(trial.program), nullptr), "ball");
}

// Errors that the engine and both other witnesses have in common, which no other oracle can find:
// %x has the gradient `wrong` for all of them, or bounds that hide it.
struct Planted {
  const char* what;
  std::string text;
  size_t element;
  double wrong;
};

TEST(BallOracle, ErrorsThatAllOthersShareAreFound) {
  const std::string x = "%x = leaf type=f64[3] data=0.5,-2,2 grad=1\n";
  const std::string weights =
      "%w = leaf type=f64[3] data=1,2,3\n%p = mul %y %w\n%s = sum %p\nbackward %s\n";
  const std::string second =
      "%w = leaf type=f64[3] data=1,2,3\n%d = grad %y seeds=%w inputs=%x create_graph=1\n"
      "%s = sum %d\nbackward %s\n";
  const double t = std::tanh(0.5), u = 1 - t * t;
  const Planted planted[] = {
      {"a formula: tanh' = 1 - r", x + "%y = tanh %x\n" + weights, 0, 1 - t},
      {"a formula: the second derivative of tanh lacks its factor 2", x + "%y = tanh %x\n" + second,
       0, -t * u},
      {"a formula: softmax without its sum", x + "%y = softmax %x dim=0\n" + weights, 1, 0.0146},
      {"a formula: the gradient of a quotient's divisor",
       x + "%a = leaf type=f64[3] data=1,2,3\n%y = div %a %x\n" + weights, 2, -4.5},
      {"a mask: relu's is 0 where it is 1", x + "%y = relu %x\n" + weights, 2, 0},
      {"a mask: clamp's is 1 outside the limits", x + "%y = clamp %x min=-1\n" + weights, 1, 2},
      {"a mask: pow has no mixed derivative at exponent 0",
       "%x = leaf type=f64[] grad=1\n%a = leaf type=f64[] data=4 grad=1\n%y = pow %a %x\n"
       "%d = grad %y inputs=%a create_graph=1\nbackward %d\n",
       0, 0},
      {"an index: cumsum's gradient is one off", x + "%y = cumsum %x dim=0\n" + weights, 0, 5},
      {"an index: gather does not add up duplicates",
       x + "%i = leaf type=i64[3] data=1,1,0\n%y = gather %x %i dim=0\n" + weights, 1, 2},
      {"an index: matmul's gradient is transposed",
       "%x = leaf type=f64[2,2] grad=1\n%b = leaf type=f64[2,2] data=1,2,3,4\n"
       "%y = matmul %x %b\n%s = sum %y\nbackward %s\n",
       1, 4},
      {"a broadcast: expand's gradient is not summed",
       "%x = leaf type=f64[] data=3 grad=1\n%y = expand %x shape=4\n%s = sum %y\n"
       "backward %s\n",
       0, 1},
      {"a write: what copy_ overwrote keeps its gradient",
       x + "%y = clone %x\n%v = select %y dim=0 index=1\n%c = leaf type=f64[]\ncopy_ %v %c\n" +
           weights,
       1, 2},
  };
  for (const Planted& error : planted) {
    Trial trial(error.text);
    const BallResult ball = RunBall(trial.program);
    trial.expected.observation.values[0].grad.bits[error.element] = Number(error.wrong);
    trial.observed.values[0].grad.bits[error.element] = Number(error.wrong);
    ExpectAgreement(JudgeValues(trial.evidence()));
    const Verdict verdict = JudgeBall(trial.evidence(), ball, nullptr);
    ExpectFinding(verdict, "ball");
    EXPECT_NE(verdict.text.find(".grad of %x"), std::string::npos) << error.what << verdict.text;
  }
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
