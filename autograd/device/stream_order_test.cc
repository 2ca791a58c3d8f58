#include "autograd/device/stream_order.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace twingrad {
namespace {

class StreamOrderTest : public testing::Test {
 protected:
  bool Reports(StreamOrder::Timeline timeline, bool is_write, int offset = 0) {
    if (timeline != StreamOrder::kHost) order_.Queue(timeline);
    return order_.Access(history_, timeline, bytes_ + offset, 8, is_write, "work").has_value();
  }
  bool Writes(StreamOrder::Timeline timeline, int offset = 0) {
    return Reports(timeline, true, offset);
  }
  bool Reads(StreamOrder::Timeline timeline, int offset = 0) {
    return Reports(timeline, false, offset);
  }

  StreamOrder order_;
  StreamOrder::History history_;
  StreamOrder::Timeline a_ = order_.AddTimeline("a");
  StreamOrder::Timeline b_ = order_.AddTimeline("b");
  char bytes_[32] = {};
};

TEST_F(StreamOrderTest, OneStreamIsOrdered) {
  EXPECT_FALSE(Writes(a_));
  EXPECT_FALSE(Reads(a_));
  EXPECT_FALSE(Writes(a_));
}

TEST_F(StreamOrderTest, TwoStreamsAreNot) {
  EXPECT_FALSE(Writes(a_));
  EXPECT_TRUE(Reads(b_));
}

TEST_F(StreamOrderTest, AReadBeforeAWriteCountsToo) {
  EXPECT_FALSE(Reads(a_));
  EXPECT_FALSE(Reads(b_)) << "reads are in no order and need none";
  EXPECT_TRUE(Writes(b_));
}

TEST_F(StreamOrderTest, OtherBytesDoNotMatter) {
  EXPECT_FALSE(Writes(a_, 0));
  EXPECT_FALSE(Writes(b_, 8));
  EXPECT_TRUE(Writes(b_, 7));
}

TEST_F(StreamOrderTest, AnEventOrdersWhatLiesBeforeItOnly) {
  EXPECT_FALSE(Writes(a_, 0));
  const StreamOrder::Clock event = order_.Now(a_);
  EXPECT_FALSE(Writes(a_, 8));
  order_.Join(b_, event);
  EXPECT_FALSE(Reads(b_, 0));
  EXPECT_TRUE(Reads(b_, 8));
}

TEST_F(StreamOrderTest, WorkComesAfterWhatTheHostDidBeforeAndNotBeforeWhatItDoesNext) {
  EXPECT_FALSE(Writes(StreamOrder::kHost));
  EXPECT_FALSE(Writes(a_));
  EXPECT_TRUE(Reads(StreamOrder::kHost));
}

TEST_F(StreamOrderTest, SynchronisingOrdersTheHostAndAllItQueuesLater) {
  EXPECT_FALSE(Writes(a_));
  order_.Join(StreamOrder::kHost, order_.Now(a_));
  EXPECT_FALSE(Writes(StreamOrder::kHost));
  EXPECT_FALSE(Writes(b_));
}

TEST_F(StreamOrderTest, WhatIsSeenDoneComesFirstAndIsToldApart) {
  EXPECT_FALSE(Writes(a_));
  const uint64_t before = order_.changes();
  order_.See(order_.Now(a_));
  EXPECT_GT(order_.changes(), before);
  EXPECT_FALSE(Writes(StreamOrder::kHost));
  EXPECT_FALSE(Writes(b_));
  order_.Join(StreamOrder::kHost, order_.Now(b_));
  const std::vector<uint64_t> table = order_.Table();
  ASSERT_EQ(table.size(), 12u);
  EXPECT_EQ(table[a_], 1u);
  EXPECT_EQ(table[b_], 1u);
  EXPECT_EQ(table[9 + a_], 1u);
  EXPECT_EQ(table[9 + b_], 0u) << "that was waited for";
}

TEST_F(StreamOrderTest, EventsReachAlong) {
  EXPECT_FALSE(Writes(a_));
  order_.Join(b_, order_.Now(a_));
  const StreamOrder::Timeline c = order_.AddTimeline("c");
  order_.Join(c, order_.Now(b_));
  EXPECT_FALSE(Writes(c));
}

TEST_F(StreamOrderTest, ReportsNameBothSides) {
  order_.Queue(a_);
  EXPECT_FALSE(order_.Access(history_, a_, bytes_, 8, true, "add"));
  order_.Queue(b_);
  const auto report = order_.Access(history_, b_, bytes_, 8, false, "mul");
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->text,
            "[device] read by mul on b is not ordered with the write by add on a; record an event "
            "after the one and let the other's stream wait for it");
}

TEST_F(StreamOrderTest, ReportsNameTheStatementsWhoseWorkItIs) {
  order_.Queue(a_);
  EXPECT_FALSE(order_.Access(history_, a_, bytes_, 8, true, "add", 3));
  order_.Queue(b_);
  const auto report = order_.Access(history_, b_, bytes_, 8, false, "mul", 7);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->text,
            "[device] read by mul of statement 7 on b is not ordered with the write by add of "
            "statement 3 on a; record an event after the one and let the other's stream wait for "
            "it");
  EXPECT_EQ(report->statement, 7);
  EXPECT_EQ(report->other, 3);
}

// What had the block before is no business of who reads what was written to it since.
TEST_F(StreamOrderTest, ReportsNameTheLastOfSeveral) {
  order_.Queue(a_);
  EXPECT_FALSE(order_.Access(history_, a_, bytes_, 16, true, "add", 3));
  order_.Queue(a_);
  EXPECT_FALSE(order_.Access(history_, a_, bytes_, 8, true, "cat", 5));
  EXPECT_FALSE(order_.Access(history_, a_, bytes_ + 8, 8, true, "cat", 5));
  order_.Queue(b_);
  const auto report = order_.Access(history_, b_, bytes_, 16, false, "mul", 7);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->other, 5);
}

TEST_F(StreamOrderTest, ABlockIsGivenBackOnceNobodyElseMayUseIt) {
  EXPECT_FALSE(Writes(a_));
  EXPECT_FALSE(order_.GiveBack(history_, a_, {}).has_value()) << "reuse on a comes after it";
  order_.Join(b_, order_.Now(a_));
  EXPECT_FALSE(Reads(b_));
  StreamOrder::History recorded = history_, ordered = history_;
  EXPECT_FALSE(order_.GiveBack(recorded, a_, {b_}).has_value());
  const auto report = order_.GiveBack(history_, a_, {});
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->text,
            "[device] a block of a is given back while the read by work on b may still run; call "
            "RecordStream for that stream, or let the block's own wait for it");
  EXPECT_FALSE(Writes(a_)) << "reported once";
  order_.Join(a_, order_.Now(b_));
  EXPECT_FALSE(order_.GiveBack(ordered, a_, {}).has_value());
}

TEST_F(StreamOrderTest, ATimelineKnowsWhatItWaitedFor) {
  EXPECT_FALSE(Writes(a_));
  const StreamOrder::Clock moment = order_.Now(a_);
  EXPECT_FALSE(order_.Knows(b_, moment));
  order_.Join(b_, moment);
  EXPECT_TRUE(order_.Knows(b_, moment));
}

}  // namespace
}  // namespace twingrad
