#include "proptests/interleave/checker/histories.h"

#include "gtest/gtest.h"

namespace twingrad::interleave {
namespace {

using twingrad::sync::model::Identity;

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
