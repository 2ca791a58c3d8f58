// Gradients read in every way that an engine has.

#include <optional>

#include "absl/strings/match.h"
#include "proptests/oracles/oracle_test_support.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

TEST(Accessors, ThatShowTheSameAgree) {
  Trial trial(kProduct);
  ExpectAgreement(JudgeAccessors(trial.program, trial.observed));
  const auto& grad = trial.observed.values[0].grad;
  trial.observed.accessors.push_back({"clone", 0, true, grad, grad, ""});
  ExpectAgreement(JudgeAccessors(trial.program, trial.observed));
}

TEST(Accessors, ThatShowAnotherNumberOrShapeOrFailAreFound) {
  Trial trial(kProduct);
  const auto& grad = trial.observed.values[0].grad;
  auto number = grad, shape = grad;
  number.bits[0] ^= 1;
  shape.shape.push_back(1);
  for (const auto& shown : {number, shape}) {
    trial.observed.accessors = {{"clone", 0, true, grad, shown, ""}};
    const Verdict verdict = JudgeAccessors(trial.program, trial.observed);
    ExpectFinding(verdict, "accessors");
    EXPECT_TRUE(absl::StrContains(verdict.text, "clone of %x.grad")) << verdict.text;
  }
  trial.observed.accessors = {{"numpy", 0, false, grad, std::nullopt, "no memory"}};
  const Verdict verdict = JudgeAccessors(trial.program, trial.observed);
  ExpectFinding(verdict, "accessors");
  EXPECT_TRUE(absl::StrContains(verdict.text, "error, no memory")) << verdict.text;
}

}  // namespace
}  // namespace twingrad::oracles
