// Cycles of the order in which mutexes are taken, and what stays known.

#include "proptests/interleave/checker/lock_order.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "proptests/interleave/checker/outcome.h"

namespace twingrad::interleave {
namespace {

Operation Taken(const char* name) { return {OperationKind::kLock, nullptr, name, {}}; }

TEST(LockOrder, ACycleIsFoundWithAllThatLeadsToIt) {
  LockOrder order;
  order.Begin();
  EXPECT_FALSE(order.Add(Taken("a"), Taken("b")).has_value());
  EXPECT_FALSE(order.Add(Taken("a"), Taken("b")).has_value());
  EXPECT_FALSE(order.Add(Taken("b"), Taken("c")).has_value());
  EXPECT_FALSE(order.Add(Taken("a"), Taken("c")).has_value());
  const auto cycle = order.Add(Taken("c"), Taken("a"));
  ASSERT_TRUE(cycle.has_value());
  EXPECT_TRUE(absl::StrContains(*cycle, "lock a")) << *cycle;
  EXPECT_TRUE(absl::StrContains(*cycle, "holding a")) << *cycle;
}

TEST(LockOrder, TwoOfOneNameAreACycle) {
  LockOrder order;
  EXPECT_TRUE(order.Add(Taken("a"), Taken("a")).has_value());
}

TEST(LockOrder, AnExecutionForgetsAllButWhatIsKnown) {
  LockOrder order;
  order.Begin();
  order.Add(Taken("a"), Taken("b"));
  order.MarkAsKnown();
  order.Add(Taken("b"), Taken("c"));
  order.Begin();
  EXPECT_FALSE(order.Add(Taken("c"), Taken("b")).has_value());
  order.Begin();
  EXPECT_TRUE(order.Add(Taken("b"), Taken("a")).has_value());
}

// Each execution alone is in order, all together are not.
TEST(LockOrder, WhatAllExecutionsHaveSeenCanBeSearchedForCycles) {
  LockOrder order;
  order.Begin();
  order.Add(Taken("a"), Taken("b"));
  order.Begin();
  order.Add(Taken("b"), Taken("c"));
  order.Add(Taken("a"), Taken("b"));
  EXPECT_EQ(order.seen().size(), 2u);
  EXPECT_FALSE(FindLockCycle(order.seen()).has_value());
  order.Begin();
  EXPECT_FALSE(order.Add(Taken("c"), Taken("a")).has_value());
  const auto cycle = FindLockCycle(order.seen());
  ASSERT_TRUE(cycle.has_value());
  EXPECT_TRUE(absl::StrContains(*cycle, "holding c")) << *cycle;
}

}  // namespace
}  // namespace twingrad::interleave
