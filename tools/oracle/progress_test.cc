#include "tools/oracle/progress.h"

#include "gtest/gtest.h"

namespace twingrad::oracle {
namespace {

using Seconds = std::chrono::duration<double>;

TEST(ProgressTest, WritesTimes) {
  EXPECT_EQ(ClockTime(Seconds(0)), "0:00");
  EXPECT_EQ(ClockTime(Seconds(6.2)), "0:07");
  EXPECT_EQ(ClockTime(Seconds(754)), "12:34");
  EXPECT_EQ(ClockTime(Seconds(3723)), "1:02:03");
}

TEST(ProgressTest, TheBarShowsShareRateAndTimeLeft) {
  ProgressState state;
  state.elapsed = Seconds(2);
  state.programs = 500;
  state.total = 2000;
  EXPECT_EQ(ProgressBar(state, 100),
            "[#######.......................] 500 of 2,000 programs, 250/s, 0:06 left");
  state.failed = 3;
  state.activity = "shrinking";
  EXPECT_EQ(ProgressLine(state),
            "[oracle] 0:02 500 of 2,000 programs, 250/s, 0:06 left, 3 failed, shrinking");
}

TEST(ProgressTest, ATimeLimitCounts) {
  ProgressState state;
  state.elapsed = Seconds(9);
  state.programs = 90;
  state.time = Seconds(10);
  EXPECT_EQ(ProgressBar(state, 100),
            "[###########################...] 90 programs, 10/s, 0:01 left");
  state.total = 91;
  EXPECT_EQ(ProgressLine(state), "[oracle] 0:09 90 of 91 programs, 10/s, 0:01 left");
}

TEST(ProgressTest, TheBarNeverExceedsTheTerminal) {
  ProgressState state;
  state.elapsed = Seconds(1);
  state.programs = 1;
  state.total = 2'000'000'000;
  for (int columns = 0; columns < 120; ++columns) {
    EXPECT_LE(ProgressBar(state, columns).size(), static_cast<size_t>(columns));
  }
}

TEST(ProgressTest, BeginsWithNothingKnown) {
  ProgressState state;
  state.total = 10;
  EXPECT_EQ(ProgressLine(state), "[oracle] 0:00 0 of 10 programs, 0/s");
}

}  // namespace
}  // namespace twingrad::oracle
