#include "proptests/oracles/twin.h"

#include "proptests/oracles/oracle_test_support.h"

namespace twingrad::oracles {
namespace {

TEST(TwinOracle, AgreesWithItself) {
  Trial trial(kProduct);
  const Verdict verdict = JudgeValues(trial.evidence());
  ExpectAgreement(verdict);
  EXPECT_EQ(verdict.compared.gradients(), 2u);
  EXPECT_EQ(verdict.compared.gradients_exact, 2u);
}

TEST(TwinOracle, EachDifferenceIsFound) {
  {
    Trial trial(kProduct);
    trial.observed.values[0].grad.bits[1] = Number(6);
    ExpectFinding(JudgeValues(trial.evidence()), "twin");
  }
  {
    Trial trial(kProduct);
    trial.observed.values[2].data.bits[0] = Number(0);
    ExpectFinding(JudgeValues(trial.evidence()), "twin");
  }
  {
    Trial trial(kProduct);
    trial.observed.values[1].grad_defined = false;
    ExpectFinding(JudgeValues(trial.evidence()), "twin");
  }
  {
    Trial trial(kProduct);
    trial.observed.values[3].version = 1;
    ExpectFinding(JudgeValues(trial.evidence()), "twin");
  }
  {
    Trial trial(kProduct);
    trial.observed.values[3].requires_grad = false;
    ExpectFinding(JudgeValues(trial.evidence()), "twin");
  }
  {
    Trial trial(kProduct);
    trial.observed.values[0].grad.shape = {1, 2};
    ExpectFinding(JudgeValues(trial.evidence()), "twin");
  }
}

TEST(TwinOracle, AlternativesAreAllowedToSeveralThreads) {
  Trial trial(kProduct);
  trial.expected.grad_alternatives.push_back({0, false, {}, {}});
  trial.observed.values[0].grad_defined = false;
  ExpectAgreement(JudgeValues(trial.evidence(2)));
  ExpectFinding(JudgeValues(trial.evidence(0)), "twin");
}

TEST(TwinOracle, RoundedGradientsAreBounded) {
  Trial trial("%x = leaf type=f64[] data=0x1.999999999999ap-4 grad=1\n%y = exp %x\nbackward %y\n");
  const Verdict verdict = JudgeValues(trial.evidence());
  ExpectAgreement(verdict);
  EXPECT_EQ(verdict.compared.gradients_bounded, 1u);
  trial.observed.values[0].grad.bits[0] += 1;  // the next number: within an ulp
  ExpectAgreement(JudgeValues(trial.evidence()));
  trial.observed.values[0].grad.bits[0] += 1000;
  ExpectFinding(JudgeValues(trial.evidence()), "twin");
}

}  // namespace
}  // namespace twingrad::oracles
