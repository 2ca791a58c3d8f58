#include "proptests/workers/worker.h"

#include <set>

#include "gtest/gtest.h"
#include "proptests/workers/subprocess.h"

namespace twingrad::oracle {
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

TEST(WorkerTest, IsNotStartedByHand) {
  const SubprocessResult bare = RunSubprocess({"tools/oracle/fake_oracle", "worker"});
  EXPECT_EQ(bare.exit_status, 2);
  EXPECT_EQ(bare.errors,
            "[oracle] `worker` is started by other verbs; allowed is `oracle check`; start that\n");
}

}  // namespace
}  // namespace twingrad::oracle
