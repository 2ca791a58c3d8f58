// The order in which nodes ran.

#include <algorithm>
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

// The node of a view that either of two sections could have made anew.
TEST(Order, ReadyNodesOfAContestedViewRunInAnyOrder) {
  constexpr char kContested[] =
      "%x = leaf type=f64[] data=2 grad=1\n%b = neg %x\n%v = view %b shape=1\nneg_ %b\n"
      "begin kind=thread\n%p = neg %v\nbackward %p\nend\n"
      "begin kind=thread\n%l = leaf type=f64[1] data=2 grad=1\n%q = neg %l\n%r = add %q %v\n"
      "backward %r\nend\n";
  Trial trial(kContested);
  ASSERT_EQ(trial.observed.calls.size(), 2u);
  // %q and its leaf before the view's node, or after it.
  auto& executed = trial.observed.calls[1].executed;
  std::rotate(executed.begin() + 1, executed.begin() + 3, executed.begin() + 4);
  ExpectAgreement(JudgeOrder(trial.evidence(0)));
  std::swap(executed[0], executed[1]);
  ExpectFinding(JudgeOrder(trial.evidence(0)), "order");  // not before its producer
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
