#include "autograd/device/stream_order.h"

#include "gtest/gtest.h"

namespace twingrad {
namespace {

class StreamOrderTest : public testing::Test {
 protected:
  bool Reports(StreamOrder::Timeline timeline, bool is_write, int offset = 0) {
    if (timeline != StreamOrder::kHost) order_.Queue(timeline);
    return order_.Access(timeline, bytes_ + offset, 8, is_write, "work").has_value();
  }
  bool Writes(StreamOrder::Timeline timeline, int offset = 0) {
    return Reports(timeline, true, offset);
  }
  bool Reads(StreamOrder::Timeline timeline, int offset = 0) {
    return Reports(timeline, false, offset);
  }

  StreamOrder order_;
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

TEST_F(StreamOrderTest, EventsReachAlong) {
  EXPECT_FALSE(Writes(a_));
  order_.Join(b_, order_.Now(a_));
  const StreamOrder::Timeline c = order_.AddTimeline("c");
  order_.Join(c, order_.Now(b_));
  EXPECT_FALSE(Writes(c));
}

TEST_F(StreamOrderTest, ReportsNameBothSides) {
  order_.Queue(a_);
  EXPECT_FALSE(order_.Access(a_, bytes_, 8, true, "add"));
  order_.Queue(b_);
  const auto report = order_.Access(b_, bytes_, 8, false, "mul");
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(*report,
            "[device] read by mul on b is not ordered with the write by add on a; record an event "
            "after the one and let the other's stream wait for it");
}

TEST_F(StreamOrderTest, ForgottenBytesAreNew) {
  EXPECT_FALSE(Writes(a_));
  order_.Forget(bytes_, sizeof(bytes_));
  EXPECT_FALSE(Writes(b_));
}

}  // namespace
}  // namespace twingrad
