// What the schedules of the production engine show in numbers: every legal order of execution is
// seen, sums keep their bits in all of them, and a recorded schedule repeats event by event.
//
// TWINGRAD_INTERLEAVE_SCHEDULES sets how many schedules each test takes; README.md has the command.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "autograd/program/parse.h"
#include "gtest/gtest.h"
#include "proptests/interleave/engine/legal_orders.h"
#include "proptests/interleave/engine/program_run.h"
#include "proptests/interleave/strategies/pct_strategy.h"
#include "proptests/interleave/strategies/random_strategy.h"
#include "proptests/interleave/strategies/replay_strategy.h"
#include "proptests/judge/fingerprint.h"

namespace twingrad::interleave {
namespace {

using program::Bits;
using program::CallRecord;
using program::NodeRecord;
using program::NodeRole;
using program::Parse;

int Schedules(int by_default) {
  const char* text = std::getenv("TWINGRAD_INTERLEAVE_SCHEDULES");
  return text != nullptr ? std::atoi(text) : by_default;
}

// Branches on three devices and the CPU that meet in the slot of %x.
constexpr char kFourBranches[] = R"(twingrad 1
%x = leaf type=f32[] data=3 grad=1
%x0 = to %x device=dev:0
%p = mul %x0 %x0
%x1 = to %x device=dev:1
%q = mul %x1 %x1
%r = to %x device=dev:2
%s = mul %x %x
backward %p %q %r %s
)";
// By statement of kFourBranches: the thread of its node.
constexpr int kThreadOf[] = {0, 1, 1, 2, 2, 3, 0};

// The recorded graph as LegalOrders wants it. Later statements have higher keys, accumulators the
// highest.
std::vector<OrderedNode> NodesOf(const CallRecord& call) {
  std::vector<OrderedNode> nodes;
  for (const NodeRecord& record : call.nodes) {
    OrderedNode node;
    const bool is_statement = record.name.role == NodeRole::kStatement;
    if (is_statement) node.thread = kThreadOf[record.name.statement];
    node.key = is_statement ? static_cast<uint64_t>(record.name.statement) : 1000;
    for (const auto& edge : record.next_edges) {
      if (edge.node >= 0) node.targets.push_back(edge.node);
    }
    nodes.push_back(node);
  }
  return nodes;
}

TEST(EngineNumbersTest, EveryLegalOrderIsSeenAndNoOther) {
  ProgramExplorer explorer(*Parse(kFourBranches));
  ASSERT_TRUE(explorer.single().ok()) << explorer.single().failure;
  const std::vector<OrderedNode> nodes = NodesOf(explorer.single().observation.calls.at(0));
  const std::set<std::vector<int>> legal = LegalOrders(nodes);
  std::set<std::vector<int>> seen;
  // Each strategy has orders that it hardly ever takes.
  RandomStrategy seldom({.switch_percent = 3});
  RandomStrategy now_and_then({.switch_percent = 10});
  RandomStrategy often({.switch_percent = 30});
  PctStrategy priorities({.min_depth = 1, .max_depth = 7});
  Strategy* const strategies[] = {&seldom, &now_and_then, &often, &priorities};
  const int schedules = Schedules(1000);
  int last_new = 0;
  for (int seed = 1; seed <= schedules; ++seed) {
    const ProgramRun run = explorer.Run(*strategies[seed % 4], static_cast<uint64_t>(seed));
    ASSERT_TRUE(run.ok()) << run.detector << " with seed " << seed << "\n" << run.failure;
    const auto& executed = run.observation.calls.at(0).executed;
    const std::vector<int> order(executed.begin(), executed.end());
    ASSERT_EQ(legal.count(order), 1u) << "an order that the rules forbid, with seed " << seed;
    if (seen.insert(order).second) last_new = seed;
  }
  std::printf("%zu orders are legal, %zu seen in %d schedules, the last new one in schedule %d\n",
              legal.size(), seen.size(), schedules, last_new);
  EXPECT_GT(seen.size(), legal.size() / 10);
  if (schedules >= 50000) {
    EXPECT_EQ(seen.size(), legal.size());
  }
}

// 1e8, 1 and -1e8 meet in one slot from three devices, in each lane in another order; the second
// derivative does the same again.
constexpr char kLanes[] = R"(twingrad 1
%x = leaf type=f32[6] data=1,1,1,1,1,1 grad=1
%a = leaf type=f32[6] data=100000000,100000000,1,1,-100000000,-100000000
%b = leaf type=f32[6] data=1,-100000000,100000000,-100000000,1,100000000
%c = leaf type=f32[6] data=-100000000,1,-100000000,100000000,100000000,1
%x0 = to %x device=dev:0
%a0 = to %a device=dev:0
%p0 = mul %x0 %x0
%p = mul %p0 %a0
%x1 = to %x device=dev:1
%b1 = to %b device=dev:1
%q0 = mul %x1 %x1
%q = mul %q0 %b1
%x2 = to %x device=dev:2
%c2 = to %c device=dev:2
%r0 = mul %x2 %x2
%r = mul %r0 %c2
%ps = sum %p
%qs = sum %q
%rs = sum %r
%g = grad %ps %qs %rs inputs=%x create_graph=1
%h = mul %g %g
%k = sum %h
backward %k
)";

// Rules: T1.
TEST(EngineNumbersTest, SumsOverThreeDevicesHaveOnePatternOfBits) {
  ProgramExplorer explorer(*Parse(kLanes));
  ASSERT_TRUE(explorer.single().ok()) << explorer.single().failure;
  RandomStrategy strategy;
  std::set<Bits> first;
  std::set<Bits> second;
  std::set<uint64_t> orders;
  const int schedules = Schedules(200);
  const auto& names = explorer.program().names;
  const auto g = static_cast<size_t>(std::ranges::find(names, "g") - names.begin());
  for (int seed = 1; seed <= schedules; ++seed) {
    const ProgramRun run = explorer.Run(strategy, static_cast<uint64_t>(seed));
    ASSERT_TRUE(run.ok()) << run.detector << " with seed " << seed << "\n" << run.failure;
    first.insert(run.observation.values[g].data.bits);
    second.insert(run.observation.values[0].grad.bits);
    orders.insert(run.order);
  }
  std::printf("%d schedules, %zu orders of execution, %zu patterns of bits, %zu of second order\n",
              schedules, orders.size(), first.size(), second.size());
  EXPECT_EQ(first.size(), 1u);
  EXPECT_EQ(second.size(), 1u);
  EXPECT_GT(orders.size(), static_cast<size_t>(schedules / 2));
}

TEST(EngineNumbersTest, RecordedSchedulesRepeatEventByEvent) {
  ProgramExplorer explorer(*Parse(kFourBranches));
  ASSERT_TRUE(explorer.single().ok()) << explorer.single().failure;
  RandomStrategy random;
  PctStrategy pct;
  const int schedules = Schedules(200);
  int64_t decisions = 0;
  int64_t events = 0;
  for (int seed = 1; seed <= schedules; ++seed) {
    Strategy& strategy = seed % 2 == 0 ? static_cast<Strategy&>(random) : pct;
    const ProgramRun run = explorer.Run(strategy, static_cast<uint64_t>(seed), true);
    ReplayStrategy replay(run.outcome.decisions);
    const ProgramRun again = explorer.Run(replay, 0, true);
    ASSERT_TRUE(replay.Finished()) << replay.error() << " with seed " << seed;
    ASSERT_TRUE(SameEvents(run.outcome, again.outcome)) << "seed " << seed;
    ASSERT_EQ(judge::FingerprintOf(run.observation), judge::FingerprintOf(again.observation));
    decisions += static_cast<int64_t>(run.outcome.decisions.size());
    events += static_cast<int64_t>(run.outcome.events.size());
  }
  std::printf("%d schedules of %lld decisions and %lld events replayed, all identical\n", schedules,
              static_cast<long long>(decisions / schedules),
              static_cast<long long>(events / schedules));
}

}  // namespace
}  // namespace twingrad::interleave
