#include "proptests/interleave/checker/lock_coverage.h"

#include <string>

#include "gtest/gtest.h"

namespace twingrad::interleave {
namespace {

std::source_location HereA() { return std::source_location::current(); }
std::source_location HereB() { return std::source_location::current(); }

class LockCoverageTest : public testing::Test {
 protected:
  void SetUp() override {
    clocks_.Spawn(0, 1);
    clocks_.Spawn(0, 2);
    coverage_.Begin();
  }
  void LockAndUnlock(int thread, const std::source_location& where) {
    coverage_.OnLock(thread, {OperationKind::kLock, &mutex_, "m", where}, clocks_);
    clocks_.Acquire(thread, mutex_);
    coverage_.OnUnlock(thread, &mutex_, clocks_);
    clocks_.Release(thread, mutex_);
  }

  RaceDetector clocks_;
  LockCoverage coverage_;
  Identity mutex_;
  Identity other_;
  const std::source_location a_ = HereA();
  const std::source_location b_ = HereB();
};

TEST_F(LockCoverageTest, TheReverseOfAnUnorderedPairIsPossible) {
  LockAndUnlock(1, a_);
  LockAndUnlock(2, b_);
  const LockCoverage::Summary summary = coverage_.Summarize();
  EXPECT_EQ(summary.seen, 1);
  EXPECT_EQ(summary.possible, 2);
  ASSERT_EQ(summary.missing.size(), 1u);
  const std::string line = std::to_string(b_.line()) + " before ";
  EXPECT_NE(summary.missing[0].find(line), std::string::npos) << summary.missing[0];
  EXPECT_EQ(coverage_.Summarize("no such path").possible, 0);
  coverage_.Begin();
  LockAndUnlock(2, b_);
  LockAndUnlock(1, a_);
  EXPECT_EQ(coverage_.Summarize().seen, 2);
}

TEST_F(LockCoverageTest, AnOrderedPairIsPossibleOneWayOnly) {
  LockAndUnlock(1, a_);
  clocks_.Release(1, other_);
  clocks_.Acquire(2, other_);
  LockAndUnlock(2, b_);
  EXPECT_EQ(coverage_.Summarize().possible, 1);
}

TEST_F(LockCoverageTest, OneThreadMakesNoPair) {
  LockAndUnlock(1, a_);
  LockAndUnlock(1, b_);
  const LockCoverage::Summary summary = coverage_.Summarize();
  EXPECT_EQ(summary.possible, 0);
  EXPECT_EQ(summary.sites, 2);
  ASSERT_EQ(summary.alone.size(), 2u);
  EXPECT_NE(summary.alone[0].find(std::to_string(a_.line())), std::string::npos);
  EXPECT_EQ(coverage_.Summarize("no such path").sites, 0);
}

TEST_F(LockCoverageTest, ASiteOfAPairIsNotAlone) {
  LockAndUnlock(1, a_);
  LockAndUnlock(2, b_);
  coverage_.Begin();
  LockAndUnlock(1, std::source_location::current());
  EXPECT_EQ(coverage_.Summarize().sites, 3);
  EXPECT_EQ(coverage_.Summarize().alone.size(), 1u);
  EXPECT_EQ(coverage_.site_names().size(), 3u);
}

TEST_F(LockCoverageTest, AMutexIsAnotherThanTheOneThatHadItsAddress) {
  LockAndUnlock(1, a_);
  coverage_.Forget(&mutex_);
  clocks_.Forget(mutex_);
  LockAndUnlock(2, b_);
  EXPECT_EQ(coverage_.Summarize().possible, 0);
}

}  // namespace
}  // namespace twingrad::interleave
