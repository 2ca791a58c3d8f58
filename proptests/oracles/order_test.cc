// The order in which nodes ran.

#include <utility>

#include "proptests/oracles/oracle_test_support.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

TEST(Order, AgreesWithItself) {
  Trial trial(kProduct);
  ExpectAgreement(JudgeOrder(trial.evidence()));
}

TEST(Order, ConsumersRunAfterTheirProducers) {
  ExpectFound(
      JudgeOrder, "order",
      [](program::Observation& o) {
        auto& executed = o.calls[0].executed;
        std::swap(executed[0], executed[1]);
      },
      2);
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
  ExpectFound(
      JudgeOrder, "order",
      [](program::Observation& o) {
        auto& executed = o.calls[0].executed;
        executed.push_back(executed[0]);
      },
      2);
}

}  // namespace
}  // namespace twingrad::oracles
