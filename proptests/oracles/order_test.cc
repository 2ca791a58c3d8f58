#include "proptests/oracles/order.h"

#include <utility>

#include "proptests/oracles/oracle_test_support.h"

namespace twingrad::oracles {
namespace {

TEST(Order, AgreesWithItself) {
  Trial trial(kProduct);
  ExpectAgreement(JudgeOrder(trial.evidence()));
}

TEST(Order, ConsumersRunAfterTheirProducers) {
  Trial trial(kProduct);
  auto& executed = trial.observed.calls[0].executed;
  std::swap(executed[0], executed[1]);
  ExpectFinding(JudgeOrder(trial.evidence(2)), "order");
}

TEST(Order, OneThreadHasOneOrder) {
  // Two independent leaves at the end: their order is free with several threads only.
  Trial trial(kProduct);
  auto& executed = trial.observed.calls[0].executed;
  std::swap(executed[3], executed[4]);
  ExpectAgreement(JudgeOrder(trial.evidence(2)));
  ExpectFinding(JudgeOrder(trial.evidence(0)), "order");
}

TEST(Order, NodesRunOnce) {
  Trial trial(kProduct);
  auto& executed = trial.observed.calls[0].executed;
  executed.push_back(executed[0]);
  ExpectFinding(JudgeOrder(trial.evidence(2)), "order");
}

}  // namespace
}  // namespace twingrad::oracles
