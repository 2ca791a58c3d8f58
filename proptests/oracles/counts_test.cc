// Dependency counts, predicted and recounted.

#include "proptests/oracles/oracle_test_support.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

using program::Observation;
using twingrad::program::CallRecord;

// The place of a node with this many dependencies.
size_t NodeWith(const CallRecord& call, int dependencies) {
  for (size_t i = 0; i < call.dependencies.size(); ++i) {
    if (call.dependencies[i] == dependencies) return i;
  }
  ADD_FAILURE() << "no node with " << dependencies << " dependencies";
  return 0;
}

TEST(Counts, AgreeWithThemselves) {
  Trial trial(kProduct);
  ASSERT_TRUE(trial.expected.call_predicted[0]);
  const Verdict predicted = JudgePredictedCounts(trial.evidence());
  ExpectAgreement(predicted);
  EXPECT_EQ(predicted.compared.counts_predicted, 5u);
  const Verdict recounted = JudgeRecount(trial.evidence());
  ExpectAgreement(recounted);
  EXPECT_EQ(recounted.compared.counts_recounted, 5u);
}

TEST(Counts, ACountOffByOneIsFoundTwice) {
  Trial trial(kProduct);
  CallRecord& call = trial.observed.calls[0];
  ++call.dependencies[NodeWith(call, 2)];
  ExpectFinding(JudgePredictedCounts(trial.evidence()), "predicted");
  ExpectFinding(JudgeRecount(trial.evidence()), "recount");
}

TEST(Counts, NodesAndEdgesAreCompared) {
  ExpectFound(JudgePredictedCounts, "predicted",
              [](Observation& o) { o.calls[0].nodes[1].next_edges.clear(); });
  ExpectFound(JudgePredictedCounts, "predicted",
              [](Observation& o) { o.calls[0].nodes[0].name.statement = 3; });
}

// An input without a node is as low as a leaf: nothing is pruned, and all is counted.
TEST(Counts, AnInputWithoutANodeHidesNothing) {
  Trial trial(
      "%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\n%z = mul %y %x\n"
      "%g = grad %z inputs=%x\n");
  CallRecord& call = trial.observed.calls.at(0);
  call.inputs.push_back({-1, 0});
  ExpectAgreement(JudgeRecount(trial.evidence()));
  ++call.dependencies[NodeWith(call, 3)];
  ExpectFinding(JudgeRecount(trial.evidence()), "recount");
}

TEST(Counts, NodesThatDidNotRunOrRanTwiceAreFound) {
  ExpectFound(JudgeRecount, "recount", [](Observation& o) { o.calls[0].executed.pop_back(); });
  ExpectFound(JudgeRecount, "recount", [](Observation& o) {
    auto& executed = o.calls[0].executed;
    executed.push_back(executed.back());
  });
}

TEST(Counts, ACallCutShortMayLackNodes) {
  Trial trial(kProduct);
  trial.observed.calls[0].executed.pop_back();
  trial.observed.error = {twingrad::ErrorKind::kUser, 5, ""};
  ExpectAgreement(JudgeRecount(trial.evidence()));
}

}  // namespace
}  // namespace twingrad::oracles
