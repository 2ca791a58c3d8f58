// The limits of JudgeSpeed, and what it prints.

#include "proptests/mutants/concurrent/speed.h"

#include <gtest/gtest.h>

namespace twingrad::mutants {
namespace {

TEST(SpeedTest, MedianAndWorstAreLimited) {
  EXPECT_EQ(JudgeSpeed("x", "mixed", {9.9, 0.1, 1.9}), 0);
  EXPECT_EQ(JudgeSpeed("x", "mixed", {0.1, 2.0, 9.9}), 1);
  EXPECT_EQ(JudgeSpeed("x", "mixed", {0.1, 10.0, 0.2}), 1);
}

TEST(SpeedTest, TheRowSaysWhatWasSeen) {
  testing::internal::CaptureStdout();
  JudgeSpeed("late_store", "Programs", {0.25, 0.5, 0.125});
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "late_store: by Programs found in 0.250 s in the median of 3 seeds, in 0.500 s at "
            "worst: quick enough\n");
}

}  // namespace
}  // namespace twingrad::mutants
