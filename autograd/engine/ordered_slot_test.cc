// Contributions are added in their order, whatever the order in which they come.

#include "autograd/engine/ordered_slot.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace twingrad {
namespace {

// Folds into a number whose digits tell the order.
void FoldAll(OrderedSlot& slot, std::vector<uint32_t>& order) {
  Tensor sum;
  Contribution next;
  while (slot.BeginFold(sum, next)) {
    if (next.value.defined()) {
      order.push_back(static_cast<uint32_t>(next.value.item<double>()));
      sum = next.value;
    }
    slot.EndFold(std::move(sum));
  }
}

// Rules: T1.
TEST(OrderedSlotTest, EveryOrderOfArrivalGivesTheSameOrderOfAdding) {
  std::vector<uint32_t> arrival(5);
  std::iota(arrival.begin(), arrival.end(), 0);
  do {
    OrderedSlot slot(5);
    std::vector<uint32_t> order;
    for (uint32_t ordinal : arrival) {
      EXPECT_FALSE(slot.IsComplete());
      ASSERT_TRUE(slot.Put(ordinal, {Tensor::Scalar(ordinal), 0, 0}));
      FoldAll(slot, order);
    }
    EXPECT_TRUE(slot.IsComplete());
    EXPECT_EQ(order, (std::vector<uint32_t>{0, 1, 2, 3, 4}));
    EXPECT_EQ(slot.TakeSum().item<double>(), 4);
  } while (std::next_permutation(arrival.begin(), arrival.end()));
}

// Rules: T3.
TEST(OrderedSlotTest, APrefixIsAddedAsSoonAsItIsComplete) {
  OrderedSlot slot(3);
  std::vector<uint32_t> order;
  ASSERT_TRUE(slot.Put(1, {Tensor::Scalar(1), 0, 0}));
  FoldAll(slot, order);
  EXPECT_TRUE(order.empty());
  ASSERT_TRUE(slot.Put(0, {Tensor::Scalar(0), 0, 0}));
  FoldAll(slot, order);
  EXPECT_EQ(order, (std::vector<uint32_t>{0, 1}));
}

// Rules: T4.
TEST(OrderedSlotTest, SaysWhatHasComeAndWhatWasAdded) {
  OrderedSlot slot(3);
  ASSERT_TRUE(slot.Put(2, {Tensor::Scalar(2), 0, 0}));
  ASSERT_TRUE(slot.Put(0, {Tensor::Scalar(0), 0, 0}));
  EXPECT_EQ(slot.Received(), 2u);
  EXPECT_EQ(slot.added(), 0u);
  Tensor sum;
  Contribution next;
  ASSERT_TRUE(slot.BeginFold(sum, next));
  EXPECT_EQ(slot.Received(), 2u) << "one is being added";
  slot.EndFold(next.value);
  EXPECT_EQ(slot.Received(), 2u);
  EXPECT_EQ(slot.added(), 1u);
  EXPECT_EQ(slot.expected(), 3u);
}

// Rules: I1.
TEST(OrderedSlotTest, UndefinedContributionsTakeTheirPlace) {
  OrderedSlot slot(2);
  std::vector<uint32_t> order;
  ASSERT_TRUE(slot.Put(1, {Tensor::Scalar(1), 0, 0}));
  ASSERT_TRUE(slot.Put(0, {Tensor(), 0, 0}));
  FoldAll(slot, order);
  EXPECT_TRUE(slot.IsComplete());
  EXPECT_EQ(order, (std::vector<uint32_t>{1}));
}

// Rules: T3.
TEST(OrderedSlotTest, OneThreadAtATimeAdds) {
  OrderedSlot slot(3);
  Tensor sum;
  Contribution next;
  ASSERT_TRUE(slot.Put(0, {Tensor::Scalar(0), 7, 8}));
  ASSERT_TRUE(slot.BeginFold(sum, next));
  EXPECT_EQ(next.producer, 7u);
  EXPECT_EQ(next.output_nr, 8u);
  Tensor other_sum;
  Contribution other;
  ASSERT_TRUE(slot.Put(1, {Tensor::Scalar(1), 0, 0}));
  EXPECT_FALSE(slot.BeginFold(other_sum, other));
  slot.EndFold(next.value);
  EXPECT_TRUE(slot.BeginFold(other_sum, other));
  EXPECT_EQ(other.value.item<double>(), 1);
  slot.EndFold(other.value);
  EXPECT_FALSE(slot.IsComplete());
}

// Rules: D13.
TEST(OrderedSlotTest, WhatIsNotExpectedIsRefused) {
  OrderedSlot slot(3);
  EXPECT_FALSE(slot.Put(3, {Tensor::Scalar(3), 0, 0}));
  ASSERT_TRUE(slot.Put(2, {Tensor::Scalar(2), 0, 0}));
  EXPECT_FALSE(slot.Put(2, {Tensor::Scalar(2), 0, 0})) << "it is parked";
  ASSERT_TRUE(slot.Put(0, {Tensor::Scalar(0), 0, 0}));
  EXPECT_FALSE(slot.Put(0, {Tensor::Scalar(0), 0, 0})) << "it is here";
  std::vector<uint32_t> order;
  FoldAll(slot, order);
  EXPECT_FALSE(slot.Put(0, {Tensor::Scalar(0), 0, 0})) << "it is added";
  EXPECT_EQ(order, (std::vector<uint32_t>{0}));
}

}  // namespace
}  // namespace twingrad
