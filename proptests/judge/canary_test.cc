#include "proptests/judge/canary.h"

#include "proptests/oracles/oracle_test_support.h"

namespace twingrad::oracles {
namespace {

TEST(Canary, TheTwinAgrees) {
  const auto twin = twingrad::reference::RunTwin(CanaryProgram());
  ASSERT_FALSE(twin.skipped.has_value());
  ExpectAgreement(JudgeCanary(twin.observation));
}

TEST(Canary, AWrongOrMissingGradientIsFound) {
  auto observed = twingrad::reference::RunTwin(CanaryProgram()).observation;
  observed.values[0].grad.bits[0] = Number(7);
  ExpectFinding(JudgeCanary(observed), "canary");
  observed.values[0].grad_defined = false;
  ExpectFinding(JudgeCanary(observed), "canary");
  observed.error = {twingrad::ErrorKind::kInternal, 3, "state left behind"};
  ExpectFinding(JudgeCanary(observed), "canary");
}

}  // namespace
}  // namespace twingrad::oracles
