#include "proptests/mutants/concurrent/hunt.h"

#include <set>

#include "autograd/sync/atomic.h"
#include "autograd/sync/cell.h"
#include "autograd/sync/thread.h"
#include "gtest/gtest.h"
#include "proptests/interleave/strategies/starve_strategy.h"

namespace twingrad::mutants {
namespace {

// Two threads add one, each in two steps.
std::string LostUpdate() {
  sync::Atomic<int> count{0};
  const auto add = [&count] { count.Store(count.Load(sync::kAcquire) + 1, sync::kRelease); };
  sync::Thread other("other", add);
  add();
  other.Join();
  return count.Load(sync::kAcquire) == 2 ? "" : "[bits] an update is lost";
}

std::string Race() {
  sync::Cell<int> cell{0};
  sync::Thread other("other", [&cell] { cell.Write(1); });
  cell.Write(2);
  other.Join();
  return "";
}

std::string Sound() {
  sync::Atomic<int> count{0};
  sync::Thread other("other", [&count] { count.FetchAdd(1, sync::kAcqRel); });
  count.FetchAdd(1, sync::kAcqRel);
  other.Join();
  return count.Load(sync::kAcquire) == 2 ? "" : "[bits] an update is lost";
}

TEST(HuntTest, FindsReplaysAndShrinks) {
  const Scenario scenario = {"lost_update", 1, LostUpdate};
  const auto caught = Hunt(scenario, 1, {.max_schedules = 1000});
  ASSERT_TRUE(caught.has_value());
  EXPECT_EQ(caught->detector, "bits");
  EXPECT_TRUE(caught->replays);
  EXPECT_EQ(caught->preemptions, 1);
  EXPECT_EQ(caught->smallest.message.find("[bits] an update is lost"), 0u);
  EXPECT_FALSE(caught->smallest.events.empty());
  EXPECT_EQ(MatrixRow("lost_update", *caught).find("| lost_update | "), 0u);
}

TEST(HuntTest, NamesTheDetector) {
  const auto caught = Hunt({"race", 1, Race}, 1, {.max_schedules = 1000});
  ASSERT_TRUE(caught.has_value());
  EXPECT_EQ(caught->detector, "data race");
}

TEST(HuntTest, FindsNothingWhereThereIsNothing) {
  EXPECT_FALSE(Hunt({"sound", 1, Sound}, 1, {.max_schedules = 1000}).has_value());
}

TEST(HuntTest, CountsTheSchedulesThatItTakes) {
  const Scenario scenario = {"lost_update", 1, LostUpdate};
  interleave::StarveStrategy starve;
  for (interleave::Strategy* strategy :
       {static_cast<interleave::Strategy*>(nullptr), static_cast<interleave::Strategy*>(&starve)}) {
    const HuntOptions options = {.max_schedules = 1000, .strategy = strategy};
    const auto schedules = SchedulesToFind(scenario, 1, options);
    ASSERT_TRUE(schedules.has_value());
    EXPECT_EQ(SchedulesToFind(scenario, 1, options), schedules);
  }
  EXPECT_FALSE(SchedulesToFind({"sound", 1, Sound}, 1, {.max_schedules = 100}));
}

TEST(HuntTest, CountsTheNodesThatTheEngineIsGiven) {
  // Nothing forced: the scenarios run straight on, and no copy of the engine is broken here.
  for (const Scenario& scenario : Scenarios()) {
    EXPECT_EQ(CountNodes(scenario, {}), scenario.nodes) << scenario.name;
  }
  EXPECT_EQ(CountNodes({"sound", 0, Sound}, {}), 0);
}

TEST(HuntTest, EachScenarioHasANameOfItsOwnAndFewNodes) {
  std::set<std::string_view> names;
  for (const Scenario& scenario : Scenarios()) {
    EXPECT_TRUE(names.insert(scenario.name).second) << scenario.name;
    EXPECT_LE(scenario.nodes, kMaxNodes) << scenario.name;
    EXPECT_EQ(FindScenario(scenario.name), &scenario);
  }
  EXPECT_EQ(names.size(), 15u);
  EXPECT_EQ(FindScenario("none"), nullptr);
}

TEST(SpeedTest, MedianAndWorstAreLimited) {
  EXPECT_EQ(JudgeSpeed("x", "mixed", {9.9, 0.1, 1.9}), 0);
  EXPECT_EQ(JudgeSpeed("x", "mixed", {0.1, 2.0, 9.9}), 1);
  EXPECT_EQ(JudgeSpeed("x", "mixed", {0.1, 10.0, 0.2}), 1);
}

TEST(SpeedTest, TheRowSaysWhatWasSeen) {
  testing::internal::CaptureStdout();
  JudgeSpeed("late_store", "Programs", {0.25, 0.5, 0.125});
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "late_store: by Programs found in 0.250 s in the median of 3 seeds, in 0.500 s at "
            "worst: quick enough\n");
}

}  // namespace
}  // namespace twingrad::mutants
