#include "proptests/workers/worker.h"

#include <set>

#include "gtest/gtest.h"

namespace twingrad::workers {
namespace {

TEST(WorkerTest, SeedsOfProgramsDifferAndDependOnBothNumbers) {
  std::set<uint64_t> seeds;
  for (uint64_t campaign = 0; campaign < 10; ++campaign) {
    for (uint64_t index = 0; index < 1000; ++index) seeds.insert(ProgramSeed(campaign, index));
  }
  EXPECT_EQ(seeds.size(), 10'000u);
  // Findings name these seeds: they must not change.
  EXPECT_EQ(ProgramSeed(0, 0), 0xe220a8397b1dcdafu);
  EXPECT_EQ(ProgramSeed(1, 2), ProgramSeed(1, 2));
}

}  // namespace
}  // namespace twingrad::workers
