#include "proptests/interleave/checker/schedule_record.h"

#include <memory>

#include "gtest/gtest.h"
#include "proptests/interleave/checker/schedule_file.h"
#include "proptests/interleave/strategies/random_strategy.h"

namespace twingrad::interleave {
namespace {

class ScheduleRecordTest : public testing::Test {
 protected:
  const std::unique_ptr<ScheduleRecord> record_ = std::make_unique<ScheduleRecord>();
  RandomStrategy random_;
};

TEST_F(ScheduleRecordTest, HoldsTheScheduleThatIsUnderWay) {
  EXPECT_EQ(RecordedSchedule(*record_, "crash"), "");
  RecordingStrategy recording(random_, 0xabc, 3, *record_);
  EXPECT_EQ(RecordedSchedule(*record_, "crash"), "") << "it has not begun";
  for (const uint64_t seed : {7u, 8u}) {
    recording.Begin(seed);
    RandomStrategy same;
    same.Begin(seed);
    for (int i = 0; i < 50; ++i) {
      const Question question = {i % 5 == 0 ? DecisionKind::kSpurious : DecisionKind::kThread,
                                 2 + i % 3, 0, static_cast<uint32_t>(i + 1)};
      EXPECT_EQ(recording.Choose(question), same.Choose(question));
    }
    const auto schedule = ParseSchedule(RecordedSchedule(*record_, "crash"));
    ASSERT_TRUE(schedule.ok()) << schedule.status();
    EXPECT_EQ(schedule->program_hash, 0xabcu);
    EXPECT_EQ(schedule->device_threads, 3);
    EXPECT_EQ(schedule->strategy, random_.name());
    EXPECT_EQ(schedule->seed, seed);
    EXPECT_EQ(schedule->detector, "crash");
    ASSERT_EQ(schedule->decisions.size(), 50u);
    EXPECT_EQ(schedule->decisions[5].kind, DecisionKind::kSpurious);
    EXPECT_EQ(schedule->decisions[6].alternatives, 2);
    EXPECT_EQ(schedule->decisions[49].site, 50u);
    recording.End();
    EXPECT_EQ(RecordedSchedule(*record_, "crash"), "") << "it has ended";
  }
}

TEST_F(ScheduleRecordTest, OneThatIsTooLongOrOverwrittenIsNone) {
  RecordingStrategy recording(random_, 1, 1, *record_);
  recording.Begin(1);
  recording.Choose({DecisionKind::kThread, 2, 0, 1});
  EXPECT_NE(RecordedSchedule(*record_, "hang"), "");
  record_->steps[0].alternatives = 0;
  EXPECT_EQ(RecordedSchedule(*record_, "hang"), "");
  recording.Begin(1);
  for (size_t i = 0; i <= ScheduleRecord::kMaxDecisions; ++i) {
    recording.Choose({DecisionKind::kThread, 2, 0, 1});
  }
  EXPECT_EQ(RecordedSchedule(*record_, "hang"), "");
}

}  // namespace
}  // namespace twingrad::interleave
