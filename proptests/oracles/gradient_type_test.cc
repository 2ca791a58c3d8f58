// A gradient has the type of its value.

#include "proptests/oracles/oracle_test_support.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

TEST(GradientType, AgreesWithTheLeaf) {
  Trial trial(kProduct);
  ExpectAgreement(JudgeGradientTypes(trial.program, trial.observed));
}

TEST(GradientType, OfGradIsThatOfItsLeaf) {
  Trial trial(kProduct);
  trial.observed.values[0].grad.shape = {1, 2};
  ExpectFinding(JudgeGradientTypes(trial.program, trial.observed), "gradient type");
}

TEST(GradientType, OfResultsIsThatOfTheInputs) {
  Trial trial("%x = leaf type=f32[2] grad=1\n%s = sum %x\n%g = grad %s inputs=%x\n");
  ExpectAgreement(JudgeGradientTypes(trial.program, trial.observed));
  trial.observed.values[2].data.dtype = twingrad::DType::kF64;
  ExpectFinding(JudgeGradientTypes(trial.program, trial.observed), "gradient type");
}

}  // namespace
}  // namespace twingrad::oracles
