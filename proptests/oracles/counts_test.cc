#include "proptests/oracles/counts.h"

#include "proptests/oracles/oracle_test_support.h"

namespace twingrad::oracles {
namespace {

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
  ExpectAgreement(JudgePredictedCounts(trial.evidence()));
  ExpectAgreement(JudgeRecount(trial.evidence()));
  EXPECT_EQ(trial.statistics.counts_predicted, 5u);
  EXPECT_EQ(trial.statistics.counts_recounted, 5u);
}

TEST(Counts, ACountOffByOneIsFoundTwice) {
  Trial trial(kProduct);
  CallRecord& call = trial.observed.calls[0];
  ++call.dependencies[NodeWith(call, 2)];
  ExpectFinding(JudgePredictedCounts(trial.evidence()), "predicted");
  ExpectFinding(JudgeRecount(trial.evidence()), "recount");
}

TEST(Counts, NodesAndEdgesAreCompared) {
  {
    Trial trial(kProduct);
    trial.observed.calls[0].nodes[1].next_edges.clear();
    ExpectFinding(JudgePredictedCounts(trial.evidence()), "predicted");
  }
  {
    Trial trial(kProduct);
    trial.observed.calls[0].nodes[0].name.statement = 3;
    ExpectFinding(JudgePredictedCounts(trial.evidence()), "predicted");
  }
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
  {
    Trial trial(kProduct);
    trial.observed.calls[0].executed.pop_back();
    ExpectFinding(JudgeRecount(trial.evidence()), "recount");
  }
  {
    Trial trial(kProduct);
    auto& executed = trial.observed.calls[0].executed;
    executed.push_back(executed.back());
    ExpectFinding(JudgeRecount(trial.evidence()), "recount");
  }
}

TEST(Counts, ACallCutShortMayLackNodes) {
  Trial trial(kProduct);
  trial.observed.calls[0].executed.pop_back();
  trial.observed.error = {twingrad::ErrorKind::kUser, 5, ""};
  ExpectAgreement(JudgeRecount(trial.evidence()));
}

}  // namespace
}  // namespace twingrad::oracles
