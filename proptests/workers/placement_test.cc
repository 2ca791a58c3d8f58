#include "proptests/workers/placement.h"

#include <chrono>
#include <latch>
#include <set>
#include <thread>

#include "gtest/gtest.h"

namespace twingrad::workers {
namespace {

// On how many processors the calling thread may run.
int Processors() {
  cpu_set_t mine;
  return sched_getaffinity(0, sizeof(mine), &mine) == 0 ? CPU_COUNT(&mine) : 0;
}

class PlacementTest : public testing::Test {
 protected:
  void SetUp() override {
    if (all_ < 2) GTEST_SKIP() << "this process may run on one processor alone: none to choose";
  }
  const int all_ = Processors();
};

TEST_F(PlacementTest, ThreadsThatRunAndThoseMadeLaterAreKeptTogetherAndLetGo) {
  std::latch begun(1), placed(1), looked(1), let_go(1);
  int before = 0, together = 0, after = 0;
  std::thread other([&] {
    before = Processors();
    begun.count_down();
    placed.wait();
    together = Processors();
    looked.count_down();
    let_go.wait();
    after = Processors();
  });
  begun.wait();
  Placement placement;
  placement.KeepTogether();
  const int processor = sched_getcpu();
  EXPECT_EQ(Processors(), 1);
  int later = 0, its_processor = -1;
  std::thread([&] {
    later = Processors();
    its_processor = sched_getcpu();
  }).join();
  EXPECT_EQ(later, 1);
  EXPECT_EQ(its_processor, processor);
  placed.count_down();
  looked.wait();
  placement.LetGo();
  let_go.count_down();
  other.join();
  EXPECT_EQ(before, all_);
  EXPECT_EQ(together, 1);
  EXPECT_EQ(after, all_);
  EXPECT_EQ(Processors(), all_);
}

TEST_F(PlacementTest, TheEndOfAPlacementLetsGo) {
  { Placement().KeepTogether(); }
  EXPECT_EQ(Processors(), all_);
}

// The processor on which the calling thread is kept from one time to the next.
std::set<int> ProcessorsOf(Placement& placement, int times) {
  std::set<int> processors;
  for (int i = 0; i < times; ++i) {
    placement.KeepTogether();
    processors.insert(sched_getcpu());
    placement.LetGo();
  }
  return processors;
}

TEST_F(PlacementTest, WhoNeverWaitsStays) {
  Placement placement([] { return std::chrono::nanoseconds::zero(); });
  EXPECT_EQ(ProcessorsOf(placement, 64).size(), 1u);
}

TEST_F(PlacementTest, WhoHasToWaitMovesOn) {
  Placement placement([waited = std::chrono::nanoseconds::zero()]() mutable {
    return waited += std::chrono::hours(1);
  });
  EXPECT_GT(ProcessorsOf(placement, 64).size(), 1u);
}

TEST(IsTogetherTest, OneChunkInTwentyFourRunsAnywhere) {
  int anywhere = 0;
  for (uint64_t chunk = 0; chunk < 96; ++chunk) anywhere += IsTogether(chunk) ? 0 : 1;
  EXPECT_EQ(anywhere, 4);
}

}  // namespace
}  // namespace twingrad::workers
