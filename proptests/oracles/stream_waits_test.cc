// Which orders of streams are too much.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "proptests/oracles/oracle_test_support.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

using program::CallRecord;
using program::StreamStep;
using Kind = StreamStep::Kind;
using Rows = std::vector<std::vector<uint64_t>>;  // of the host, then of streams 1 to 3

constexpr char kOnDevice[] = R"(%x = leaf type=f64[] data=1 grad=1 device=dev:0
%y = mul %x %x
backward %y
)";

// A call over four nodes, the first of which gives gradients to the second and third, and both to
// the fourth. The first two are on stream 1, the others on 2 and 3.
class WaitsTest : public testing::Test {
 protected:
  WaitsTest() : trial_(kOnDevice) {
    CallRecord& call = Call();
    call.nodes.resize(4);
    call.nodes[0].next_edges = {{1, 0}, {2, 0}};
    call.nodes[1].next_edges = {{3, 0}};
    call.nodes[2].next_edges = {{3, 0}};
    call.roots = {{0, 0}};
    call.node_streams = {{1, 0}, {1, 0}, {2, 0}, {3, 0}};
    Note(Kind::kCall, -1, {{1}, {1, 1}});
    Note(Kind::kBegin, 0, {{1}, {1, 1}});
    Note(Kind::kEnd, 0, {{2}, {2, 2}});
  }

  CallRecord& Call() { return trial_.observed.calls[0]; }
  void Note(Kind kind, int32_t node, const Rows& known, int thread = -1) {
    StreamStep& step = Call().stream_steps.emplace_back();
    step.kind = kind;
    step.number = static_cast<uint32_t>(Call().stream_steps.size());
    step.node = node;
    step.thread = thread;
    step.current = {node < 0 ? 1u : Call().node_streams[node].stream};
    step.known = static_cast<uint32_t>(Call().stream_orders.size());
    Call().stream_orders.push_back(Table(known));
  }
  // Of four streams, where ends of rows and of the table are left out.
  static std::vector<uint64_t> Table(const Rows& rows) {
    std::vector<uint64_t> table(16, 0);
    for (size_t i = 0; i < rows.size(); ++i) {
      std::copy(rows[i].begin(), rows[i].end(), table.begin() + static_cast<ptrdiff_t>(4 * i));
    }
    return table;
  }
  Verdict Judge() const { return JudgeStreamWaits(trial_.program, trial_.observed); }

  Trial trial_;
};

TEST_F(WaitsTest, ANodeComesAfterWhatGivesItsGradient) {
  Note(Kind::kBegin, 1, {{2}, {2, 2}});
  Note(Kind::kEnd, 1, {{3}, {3, 3}});
  Note(Kind::kBegin, 2, {{3}, {3, 3}, {2, 2}});
  Note(Kind::kEnd, 2, {{4}, {3, 3}, {4, 2, 1}});
  ExpectAgreement(Judge());
  EXPECT_EQ(Judge().compared.waits, 3u);
  EXPECT_EQ(Judge().compared.needless_waits, 0u);
}

TEST_F(WaitsTest, NotAfterWhatTheGiversStreamDidSince) {
  Note(Kind::kBegin, 1, {{2}, {2, 2}});
  Note(Kind::kEnd, 1, {{3}, {3, 3}});
  Note(Kind::kBegin, 2, {{3}, {3, 3}, {3, 3}});
  ExpectFinding(Judge(), "stream waits");
  EXPECT_EQ(Judge().compared.waits, 3u);
  EXPECT_EQ(Judge().compared.needless_waits, 1u);
}

TEST_F(WaitsTest, NotAfterWhatTheHostHasWaitedFor) {
  Note(Kind::kBegin, 1, {{2}, {2, 2}});
  Note(Kind::kEnd, 1, {{3}, {3, 3}});
  Note(Kind::kBegin, 2, {{3, 3}, {3, 3}, {2, 2}});
  ExpectFinding(Judge(), "stream waits");
}

TEST_F(WaitsTest, ButAfterWhatTheHostFoundDone) {
  Note(Kind::kBegin, 1, {{2}, {2, 2}});
  Note(Kind::kEnd, 1, {{3}, {3, 3}});
  Note(Kind::kBegin, 2, {{3, 3}, {3, 3}, {2, 2}});
  std::vector<uint64_t>& known = Call().stream_orders.back();
  known.insert(known.end(), {0, 3, 0, 0});
  ExpectAgreement(Judge());
  known[17] = 2;  // of stream 1
  ExpectFinding(Judge(), "stream waits");
}

TEST_F(WaitsTest, WhatUserCodeOrdersIsItsOwn) {
  Note(Kind::kBegin, 2, {{2}, {2, 2}, {2, 2}});
  Note(Kind::kEnd, 2, {{3}, {3, 2, 1}, {3, 2, 1}});  // a hook made stream 1 wait
  Note(Kind::kBegin, 1, {{3}, {3, 2, 1}, {3, 2, 1}});
  Note(Kind::kEnd, 1, {{4}, {4, 3, 1}, {3, 2, 1}});
  ExpectAgreement(Judge());
}

TEST_F(WaitsTest, WhatTheHostWaitedForThenComesBeforeAllThatFollows) {
  Note(Kind::kBegin, 1, {{2}, {2, 2}});
  Note(Kind::kEnd, 1, {{3, 3}, {3, 3}});
  Note(Kind::kBegin, 2, {{3, 3}, {3, 3}});
  ExpectAgreement(Judge());
}

TEST_F(WaitsTest, ASumComesAfterBothOfItsTerms) {
  Note(Kind::kBegin, 1, {{2}, {2, 2}});
  Note(Kind::kEnd, 1, {{3}, {3, 3}});
  Note(Kind::kBegin, 2, {{3}, {3, 3}, {2, 2}});
  Note(Kind::kEnd, 2, {{4}, {3, 3}, {4, 2, 1}});
  Note(Kind::kBegin, 3, {{4}, {3, 3}, {4, 2, 1}, {4, 3, 1, 1}});
  ExpectAgreement(Judge());
}

TEST_F(WaitsTest, ASingleTermIsNotWaitedForBeforeItIsTaken) {
  Call().nodes[1].next_edges = {};
  Call().nodes.push_back({});
  Call().nodes[0].next_edges.push_back({4, 0});
  Call().node_streams.push_back({3, 0});
  Note(Kind::kBegin, 2, {{2}, {2, 2}, {2, 2}});
  Note(Kind::kEnd, 2, {{3}, {2, 2}, {3, 2, 1}});
  Note(Kind::kBegin, 4, {{3}, {2, 2}, {3, 2, 1}, {3, 2, 1}});  // stream 3 waits for node 3's
  ExpectFinding(Judge(), "stream waits");
}

// Between the giver's end and its event another thread may queue work on its stream.
TEST_F(WaitsTest, WorkOfOtherThreadsMayComeBeforeTheEvent) {
  Note(Kind::kBegin, 1, {{2}, {2, 2}}, /*thread=*/0);
  Note(Kind::kBegin, 2, {{3}, {3, 3}, {3, 3}});
  ExpectAgreement(Judge());
}

TEST_F(WaitsTest, WaitsOfOtherThreadsMayComeBeforeTheEvent) {
  Note(Kind::kBegin, 1, {{2}, {2, 2}, {}, {0, 0, 0, 1}}, /*thread=*/0);
  Note(Kind::kBegin, 2, {{2}, {2, 2, 0, 1}, {2, 2, 0, 1}, {0, 0, 0, 1}});
  ExpectAgreement(Judge());
}

TEST_F(WaitsTest, SectionsAreNotJudged) {
  Note(Kind::kBegin, 2, {{3}, {3, 3}, {3, 3}});
  ExpectFinding(Judge(), "stream waits");
  Trial sections("%x = leaf type=f64[] data=1 device=dev:0\nbegin kind=thread\n%y = neg %x\nend\n");
  sections.observed.calls = trial_.observed.calls;
  ExpectAgreement(JudgeStreamWaits(sections.program, sections.observed));
}

}  // namespace
}  // namespace twingrad::oracles
