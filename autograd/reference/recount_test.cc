#include "autograd/reference/recount.h"

#include <vector>

#include "autograd/reference/test_program.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

using program::CallRecord;
using program::NodeRole;
using Counts = ByNode<int32_t>;
using Flags = ByNode<bool>;

CallRecord Graph(const std::vector<std::vector<int32_t>>& edges, std::vector<int32_t> roots,
                 std::vector<int32_t> inputs = {}) {
  CallRecord call;
  for (const auto& list : edges) {
    auto& node = call.nodes.emplace_back();
    for (const int32_t to : list) node.next_edges.push_back({to, 0});
  }
  for (const int32_t root : roots) call.roots.push_back({root, 0});
  for (const int32_t input : inputs) call.inputs.push_back({input, 0});
  return call;
}

TEST(RecountTest, ParallelEdgesCountEach) {
  const Recount recount = RecountCall(Graph({{1, 1}, {2, -1}, {}}, {0}));
  EXPECT_EQ(recount.dependencies, Counts({-1, 2, 1}));
  EXPECT_EQ(recount.executed, Flags({true, true, true}));
  EXPECT_TRUE(recount.needed.empty());
}

TEST(RecountTest, NothingBelowTheLowestInputIsFollowed) {
  // 0 -> 1 -> 2 -> 3, input 1: 2 is counted and not followed, 3 is not known.
  const Recount recount = RecountCall(Graph({{1}, {2}, {3}, {}}, {0}, {1}));
  EXPECT_EQ(recount.dependencies, Counts({-1, 1, 1, -1}));
  EXPECT_EQ(recount.needed, Flags({true, false, false, false}));
  EXPECT_EQ(recount.executed, Flags({true, false, false, false}));
}

TEST(RecountTest, AccumulationExecutesTheInput) {
  CallRecord call = Graph({{1, 2}, {3}, {3}, {}}, {0}, {1});
  call.accumulate_grad = true;
  const Recount recount = RecountCall(call);
  EXPECT_EQ(recount.needed, Flags({true, true, false, false}));
  EXPECT_EQ(recount.dependencies, Counts({-1, 1, 1, 2}));
}

TEST(RecountTest, InputsBesideTheGraphLowerThePruning) {
  // Node 3 is an input that no root reaches, a leaf: nothing is pruned.
  const Recount recount = RecountCall(Graph({{1}, {2}, {}, {}}, {0}, {1, 3}));
  EXPECT_EQ(recount.dependencies, Counts({-1, 1, 1, -1}));
  EXPECT_FALSE(recount.executed[3]);
}

TEST(RecountTest, MalformedRecords) {
  EXPECT_FALSE(RecountCall(Graph({{1}}, {0})).malformed.empty());
  EXPECT_FALSE(RecountCall(Graph({{1}, {0}}, {0})).malformed.empty());
  EXPECT_FALSE(RecountCall(Graph({{}}, {})).malformed.empty());
  EXPECT_FALSE(RecountCall(Graph({{}}, {0}, {7})).malformed.empty());
}

TEST(RecountTest, AgreesWithTheTwin) {
  const TwinRun run(R"(%x = leaf type=f64[] data=3 grad=1
%u = leaf type=f64[] data=3 grad=1
%y = mul %x %x
%v = mul %u %u
%w = mul %y %x
%z = add %w %y
backward %z %w retain_graph=1
%g = grad %z inputs=%y retain_graph=1
%h,%k = grad %z %y inputs=%w,%v allow_unused=1 retain_graph=1
backward %z inputs=%y,%x
)");
  ASSERT_EQ(run.result().observation.calls.size(), 4u);
  for (const CallRecord& call : run.result().observation.calls) {
    const Recount recount = RecountCall(call);
    EXPECT_EQ(recount.malformed, "");
    EXPECT_EQ(recount.dependencies, Counts(call.dependencies.begin(), call.dependencies.end()));
    EXPECT_EQ(recount.needed, Flags(call.needed.begin(), call.needed.end()));
    Flags executed(call.nodes.size());
    for (const int32_t node : call.executed) executed[node] = true;
    EXPECT_EQ(recount.executed, executed);
  }
}

}  // namespace
}  // namespace twingrad::reference
