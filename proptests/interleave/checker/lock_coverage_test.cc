#include "proptests/interleave/checker/lock_coverage.h"

#include <cstdint>
#include <source_location>
#include <string>
#include <vector>

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

TEST_F(LockCoverageTest, HandOversAreThoseOfTheExecutionAtHand) {
  LockAndUnlock(1, a_);
  LockAndUnlock(2, b_);
  const std::vector<uint64_t> first = coverage_.hand_overs();
  ASSERT_EQ(first.size(), 1u);
  coverage_.Begin();
  EXPECT_TRUE(coverage_.hand_overs().empty());
  LockAndUnlock(2, b_);
  LockAndUnlock(1, a_);
  ASSERT_EQ(coverage_.hand_overs().size(), 1u);
  EXPECT_NE(coverage_.hand_overs(), first) << "the reverse is another pair";
  LockCoverage another;
  another.OnLock(1, {OperationKind::kLock, &mutex_, "m", a_}, clocks_);
  another.OnLock(2, {OperationKind::kLock, &mutex_, "m", b_}, clocks_);
  EXPECT_EQ(another.hand_overs(), first) << "whichever sites it knew before";
}

TEST_F(LockCoverageTest, TheFingerprintIsOfTheOrderAtEachMutex) {
  const auto lock = [&](int thread, const Identity& mutex, const std::source_location& where) {
    coverage_.OnLock(thread, {OperationKind::kLock, &mutex, "m", where}, clocks_);
  };
  lock(1, mutex_, a_);
  lock(2, mutex_, a_);
  lock(1, other_, b_);
  const uint64_t first = coverage_.fingerprint();
  coverage_.Begin();
  lock(1, other_, b_);
  lock(1, mutex_, a_);
  EXPECT_NE(coverage_.fingerprint(), first);
  lock(2, mutex_, a_);
  EXPECT_EQ(coverage_.fingerprint(), first) << "nothing orders the two mutexes";
  coverage_.Begin();
  lock(2, mutex_, a_);
  lock(1, mutex_, a_);
  lock(1, other_, b_);
  EXPECT_NE(coverage_.fingerprint(), first);
}

}  // namespace
}  // namespace twingrad::interleave
