#include "proptests/interleave/checker/race_detector.h"

#include "gtest/gtest.h"

namespace twingrad::interleave {
namespace {

class RaceDetectorTest : public testing::Test {
 protected:
  void SetUp() override {
    detector_.Spawn(0, 1);
    detector_.Spawn(0, 2);
  }
  bool Races(int thread, OperationKind kind) {
    return detector_.Access(thread, {kind, &cell_, "", std::source_location::current()}, cell_)
        .has_value();
  }
  bool Reads(int thread) { return Races(thread, OperationKind::kCellRead); }
  bool Writes(int thread) { return Races(thread, OperationKind::kCellWrite); }

  RaceDetector detector_;
  Identity cell_;
  Identity mutex_;
};

TEST_F(RaceDetectorTest, ReadsNeverRace) {
  EXPECT_FALSE(Reads(1));
  EXPECT_FALSE(Reads(2));
  EXPECT_FALSE(Reads(0));
}

TEST_F(RaceDetectorTest, UnorderedWritesRace) {
  EXPECT_FALSE(Writes(1));
  EXPECT_TRUE(Writes(2));
}

TEST_F(RaceDetectorTest, AReadRacesWithAnUnorderedWriteEitherWay) {
  EXPECT_FALSE(Writes(1));
  EXPECT_TRUE(Reads(2));
  detector_.Forget(cell_);
  EXPECT_FALSE(Reads(1));
  EXPECT_TRUE(Writes(2));
}

TEST_F(RaceDetectorTest, AReleaseAndALaterAcquireOrder) {
  EXPECT_FALSE(Writes(1));
  detector_.Release(1, mutex_);
  detector_.Acquire(2, mutex_);
  EXPECT_FALSE(Writes(2));
  EXPECT_TRUE(Reads(1)) << "thread 1 has not acquired since";
}

TEST_F(RaceDetectorTest, WhatHasEndedOrdersNothing) {
  EXPECT_FALSE(Writes(1));
  detector_.Release(1, mutex_);
  detector_.Forget(mutex_);
  detector_.Acquire(2, mutex_);
  EXPECT_TRUE(Writes(2));
}

TEST_F(RaceDetectorTest, WhatFollowsAReleaseIsNotOrderedByIt) {
  detector_.Release(1, mutex_);
  EXPECT_FALSE(Writes(1));
  detector_.Acquire(2, mutex_);
  EXPECT_TRUE(Writes(2));
}

TEST_F(RaceDetectorTest, SpawnAndJoinOrder) {
  EXPECT_FALSE(Writes(0));
  detector_.Spawn(0, 3);
  EXPECT_FALSE(Writes(3));
  detector_.Join(0, 3);
  EXPECT_FALSE(Writes(0));
}

TEST_F(RaceDetectorTest, TheTextNamesThreadsAndLines) {
  EXPECT_FALSE(Writes(1));
  const auto race = detector_.Access(
      2, {OperationKind::kCellRead, &cell_, "", std::source_location::current()}, cell_);
  ASSERT_TRUE(race.has_value());
  EXPECT_NE(race->text.find("read by thread 2 at "), std::string::npos) << race->text;
  EXPECT_NE(race->text.find("write by thread 1 at "), std::string::npos) << race->text;
  EXPECT_NE(race->text.find("race_detector_test.cc:"), std::string::npos) << race->text;
}

struct Count {
  void Clear() { value = 0; }
  int value = 0;
};

TEST(HistoriesTest, KeepsOneForEachObject) {
  Histories<Count> counts;
  Identity a;
  Identity b;
  EXPECT_EQ(counts.Find(a), nullptr);
  counts.Get(a).value = 1;
  counts.Get(b).value = 2;
  ASSERT_NE(counts.Find(a), nullptr);
  EXPECT_EQ(counts.Find(a)->value, 1);
  EXPECT_EQ(counts.Get(b).value, 2);
}

TEST(HistoriesTest, WhatIsForgottenStartsAnew) {
  Histories<Count> counts;
  Identity a;
  Identity b;
  counts.Get(a).value = 1;
  counts.Forget(a);
  EXPECT_EQ(counts.Find(a), nullptr);
  EXPECT_EQ(counts.Get(b).value, 0) << "the entry of another is used again, empty";
  EXPECT_EQ(counts.Get(a).value, 0);
}

TEST(HistoriesTest, AnIndexOfAnEarlierExecutionFindsNothing) {
  Histories<Count> counts;
  Identity old;
  Identity young;
  counts.Get(old).value = 1;
  counts.Clear();
  EXPECT_EQ(counts.Find(old), nullptr);
  counts.Get(young).value = 2;
  EXPECT_EQ(counts.Find(old), nullptr) << "its index is another's now";
  counts.Forget(old);
  EXPECT_EQ(counts.Get(young).value, 2);
}

TEST(HistoriesTest, AnIndexOfAnotherTableFindsNothing) {
  Histories<Count> mine;
  Histories<Count> others;
  Identity a;
  Identity b;
  mine.Get(a).value = 1;
  others.Get(b).value = 2;
  EXPECT_EQ(others.Find(a), nullptr);
  EXPECT_EQ(mine.Find(b), nullptr);
}

}  // namespace
}  // namespace twingrad::interleave
