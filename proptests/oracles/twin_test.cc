// Every value, .grad, version and flag beside the twin's.

#include "proptests/oracles/oracle_test_support.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

using program::Observation;

TEST(TwinOracle, AgreesWithItself) {
  Trial trial(kProduct);
  const Verdict verdict = JudgeValues(trial.evidence());
  ExpectAgreement(verdict);
  EXPECT_EQ(verdict.compared.gradients(), 2u);
  EXPECT_EQ(verdict.compared.gradients_exact, 2u);
}

TEST(TwinOracle, EachDifferenceIsFound) {
  ExpectFound(JudgeValues, "twin", [](Observation& o) { o.values[0].grad.bits[1] = Number(6); });
  ExpectFound(JudgeValues, "twin", [](Observation& o) { o.values[2].data.bits[0] = Number(0); });
  ExpectFound(JudgeValues, "twin", [](Observation& o) { o.values[1].grad_defined = false; });
  ExpectFound(JudgeValues, "twin", [](Observation& o) { o.values[3].version = 1; });
  ExpectFound(JudgeValues, "twin", [](Observation& o) { o.values[3].requires_grad = false; });
  ExpectFound(JudgeValues, "twin", [](Observation& o) { o.values[0].grad.shape = {1, 2}; });
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
