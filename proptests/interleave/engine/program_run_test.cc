// The production engine, whole, under the scheduler: Programs on CPU and devices, errors that race,
// several calls. Every legal order of execution is seen, sums keep their bits in all of them, and a
// recorded schedule repeats event by event.
#include "proptests/interleave/engine/program_run.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "autograd/program/parse.h"
#include "gtest/gtest.h"
#include "proptests/interleave/engine/legal_orders.h"
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

// Three branches on three devices and one on the CPU meet in the slot of %x; lanes are so large
// that the order of their sum shows in the bits.
constexpr char kFourBranches[] = R"(twingrad 1
%x = leaf type=f32[3] data=1,1,1 grad=1
%a = leaf type=f32[3] data=100000000,1,-100000000
%b = leaf type=f32[3] data=1,-100000000,100000000
%c = leaf type=f32[3] data=-100000000,100000000,1
%x0 = to %x device=dev:0
%a0 = to %a device=dev:0
%p = mul %x0 %a0
%x1 = to %x device=dev:1
%b1 = to %b device=dev:1
%q = mul %x1 %b1
%x2 = to %x device=dev:2
%c2 = to %c device=dev:2
%r = mul %x2 %c2
%u = mul %x %a
%v = sum %u
%p1 = sum %p
%q1 = sum %q
%r1 = sum %r
backward %p1 %q1 %r1 %v
)";

// A CPU node and a device node throw, unordered; %w may or may not have its gradient by then.
constexpr char kTwoThrow[] = R"(twingrad 1
%x = leaf type=f64[] data=2 grad=1
%y = leaf type=f64[] data=3 grad=1
%w = leaf type=f64[] data=5 grad=1 device=dev:1
%d = to %x device=dev:0
%e = mul %d %d
%f = mul %y %y
hook %f do=throw
hook %e do=throw
%g = mul %w %w
backward %e %f %g
)";

// Runs schedules and expects nothing to be found; gives the orders that were seen. `look` sees each
// run.
std::set<uint64_t> ExpectSound(ProgramExplorer& explorer, Strategy& strategy, int schedules,
                               const std::function<void(const ProgramRun&)>& look = nullptr) {
  EXPECT_TRUE(explorer.single().ok()) << explorer.single().failure;
  EXPECT_FALSE(explorer.skipped().has_value()) << *explorer.skipped();
  std::set<uint64_t> orders;
  for (int seed = 1; seed <= schedules; ++seed) {
    const ProgramRun run = explorer.Run(strategy, static_cast<uint64_t>(seed));
    EXPECT_TRUE(run.ok()) << run.detector << " with seed " << seed << "\n" << run.failure;
    if (!run.ok()) break;
    orders.insert(run.order);
    if (look) look(run);
  }
  std::printf("%d schedules, %zu orders of execution\n", schedules, orders.size());
  return orders;
}

TEST(ProgramRunTest, AWorkerIsShownAtTheLineThatStartsIt) {
  ProgramExplorer explorer(*Parse(kFourBranches));
  RandomStrategy random;
  const ProgramRun run = explorer.Run(random, 1, /*record_events=*/true);
  ASSERT_TRUE(run.ok()) << run.failure;
  int spawns = 0;
  for (const Event& event : run.outcome.events) {
    if (event.operation.kind != sync::model::OperationKind::kSpawn) continue;
    ++spawns;
    const std::string file = event.operation.where.file_name();
    EXPECT_NE(file.find("autograd/engine/worker.cc"), std::string::npos) << file;
  }
  EXPECT_EQ(spawns, 3);
}

TEST(ProgramExplorerTest, BranchesOnThreeDevicesAndTheCpu) {
  ProgramExplorer explorer(*Parse(kFourBranches));
  RandomStrategy strategy;
  EXPECT_GT(ExpectSound(explorer, strategy, 500).size(), 20u);
}

// Rules: F4, F5.
TEST(ProgramExplorerTest, AnyOfTwoErrorsAndOldOrNewGradients) {
  ProgramExplorer explorer(*Parse(kTwoThrow));
  RandomStrategy strategy;
  std::set<bool> defined;
  ExpectSound(explorer, strategy, 500, [&](const ProgramRun& run) {
    ASSERT_TRUE(run.observation.error.has_value());
    EXPECT_EQ(run.observation.error->error, ErrorKind::kUser);
    defined.insert(run.observation.values[2].grad_defined);
  });
  EXPECT_EQ(defined.size(), 2u) << "both are possible";
}

// The sum that a leaf keeps asks for the accumulator of what is added, which takes locks of that
// leaf's.
TEST(ProgramExplorerTest, LeavesThatAreEachOthersSeedsTakeTheirLocksInOneOrder) {
  ProgramExplorer explorer(
      *Parse("twingrad 1\n%x = leaf type=f64[] data=0 grad=1\n%y = leaf type=f64[] data=0 grad=1\n"
             "backward %x seeds=%y create_graph=1\nbackward %y seeds=%x create_graph=1\n"));
  EXPECT_TRUE(explorer.single().ok()) << explorer.single().failure;
}

TEST(ProgramExplorerTest, ARunIsItsSeedAndItsTrace) {
  ProgramExplorer explorer(*Parse(kFourBranches));
  RandomStrategy strategy;
  for (uint64_t seed : {1u, 77u, 1234u}) {
    const ProgramRun first = explorer.Run(strategy, seed, /*record_events=*/true);
    const ProgramRun again = explorer.Run(strategy, seed, /*record_events=*/true);
    EXPECT_EQ(first.outcome.decisions, again.outcome.decisions);
    EXPECT_EQ(FormatEvents(first.outcome, 100000), FormatEvents(again.outcome, 100000));
    EXPECT_TRUE(SameEvents(first.outcome, again.outcome));
    ReplayStrategy replay(first.outcome.decisions);
    const ProgramRun replayed = explorer.Run(replay, 0, /*record_events=*/true);
    EXPECT_TRUE(replay.Finished()) << replay.error();
    EXPECT_EQ(replayed.order, first.order);
    EXPECT_EQ(FormatEvents(replayed.outcome, 100000), FormatEvents(first.outcome, 100000));
  }
}

TEST(ProgramExplorerTest, PctFindsNothingEither) {
  LockCoverage locks;
  ProgramExplorer explorer(*Parse(kFourBranches), {.locks = &locks});
  PctStrategy strategy;
  EXPECT_GT(ExpectSound(explorer, strategy, 300).size(), 10u);
  const LockCoverage::Summary summary = locks.Summarize("autograd/engine/");
  EXPECT_GT(summary.seen, 5);
  EXPECT_GE(summary.possible, summary.seen);
}

TEST(ProgramExplorerTest, StreamsAreNoReasonToSkip) {
  ProgramExplorer explorer(
      *Parse("twingrad 1\n%x = leaf type=f64[] grad=1\nstream id=s device=dev:0\n%y = neg %x\n"
             "backward %y\n"));
  EXPECT_FALSE(explorer.skipped().has_value()) << *explorer.skipped();
  EXPECT_TRUE(explorer.single().ok()) << explorer.single().failure;
}

TEST(ProgramExplorerTest, ARunOnOneThreadThatFailsIsAFailureNotSkipped) {
  ProgramExplorer explorer(*Parse(kFourBranches), {.max_steps = 5});
  EXPECT_FALSE(explorer.skipped().has_value()) << *explorer.skipped();
  EXPECT_FALSE(explorer.single().ok());
  EXPECT_EQ(explorer.single().detector, "step budget");
  EXPECT_NE(explorer.single().failure.find("no end after 5 steps"), std::string::npos);
}

// --- What schedules show in numbers ---

// How many schedules each test takes; README.md has the command.
int Schedules(int by_default) {
  const char* text = std::getenv("TWINGRAD_INTERLEAVE_SCHEDULES");
  return text != nullptr ? std::atoi(text) : by_default;
}

// Branches on three devices and the CPU that meet in the slot of %x.
constexpr char kFourCopies[] = R"(twingrad 1
%x = leaf type=f32[] data=3 grad=1
%x0 = to %x device=dev:0
%p = mul %x0 %x0
%x1 = to %x device=dev:1
%q = mul %x1 %x1
%r = to %x device=dev:2
%s = mul %x %x
backward %p %q %r %s
)";
// By statement of kFourCopies: the thread of its node.
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
  ProgramExplorer explorer(*Parse(kFourCopies));
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
  RandomStrategy strategy;
  std::set<Bits> first;
  std::set<Bits> second;
  const int schedules = Schedules(200);
  const auto& names = explorer.program().names;
  const auto g = static_cast<size_t>(std::ranges::find(names, "g") - names.begin());
  const std::set<uint64_t> orders =
      ExpectSound(explorer, strategy, schedules, [&](const ProgramRun& run) {
        first.insert(run.observation.values[g].data.bits);
        second.insert(run.observation.values[0].grad.bits);
      });
  std::printf("%zu patterns of bits, %zu of second order\n", first.size(), second.size());
  EXPECT_EQ(first.size(), 1u);
  EXPECT_EQ(second.size(), 1u);
  EXPECT_GT(orders.size(), static_cast<size_t>(schedules / 2));
}

TEST(EngineNumbersTest, RecordedSchedulesRepeatEventByEvent) {
  ProgramExplorer explorer(*Parse(kFourCopies));
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
