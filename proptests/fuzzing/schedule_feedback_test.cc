#include "proptests/fuzzing/schedule_feedback.h"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <utility>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "proptests/interleave/checker/lock_coverage.h"
#include "proptests/interleave/checker/race_detector.h"

namespace twingrad::fuzzing {
namespace {

using interleave::OperationKind;

class ScheduleFeedbackTest : public testing::Test {
 protected:
  // An execution in which the threads take one mutex, each at its own line.
  void Execute(std::initializer_list<int> threads) {
    locks_.Begin();
    const std::source_location lines[] = {std::source_location::current(),
                                          std::source_location::current()};
    for (const int thread : threads) {
      locks_.OnLock(thread, {OperationKind::kLock, &mutex_, "m", lines[thread]}, clocks_);
    }
  }
  bool Keeps() {
    const bool is_new = feedback_.ShowsNew(locks_);
    if (is_new) feedback_.Publish(locks_);
    return is_new;
  }

  std::array<uint8_t, 20> edges_ = {};
  std::array<uint8_t, 512> extra_ = {};
  ScheduleFeedback feedback_{absl::MakeSpan(edges_), absl::MakeSpan(extra_)};
  interleave::LockCoverage locks_;
  interleave::RaceDetector clocks_;
  interleave::Identity mutex_;
};

TEST_F(ScheduleFeedbackTest, AnEdgeIsNewOnceInEachRangeOfCounts) {
  Execute({0});
  EXPECT_TRUE(Keeps()) << "the first execution";
  for (const int at : {3, 17, 19}) {
    for (const auto& [count, is_new] : std::initializer_list<std::pair<int, bool>>{{1, true},
                                                                                   {1, false},
                                                                                   {2, true},
                                                                                   {3, true},
                                                                                   {4, true},
                                                                                   {7, false},
                                                                                   {8, true},
                                                                                   {15, false},
                                                                                   {16, true},
                                                                                   {31, false},
                                                                                   {32, true},
                                                                                   {127, false},
                                                                                   {128, true},
                                                                                   {255, false}}) {
      feedback_.Begin();
      edges_[at] = static_cast<uint8_t>(count);
      EXPECT_EQ(Keeps(), is_new) << count << " at " << at;
    }
  }
  EXPECT_EQ(feedback_.seen_edges(), 3);
}

TEST_F(ScheduleFeedbackTest, BothOrdersOfTwoSitesAreNew) {
  Execute({0, 1});
  EXPECT_TRUE(Keeps());
  Execute({0, 1});
  EXPECT_FALSE(Keeps());
  Execute({1, 0});
  EXPECT_TRUE(Keeps());
  EXPECT_EQ(feedback_.seen_pairs(), 2);
  EXPECT_EQ(feedback_.seen_fingerprints(), 2);
  Execute({0, 1, 0});
  EXPECT_TRUE(Keeps()) << "the same pairs in another order of all";
  EXPECT_EQ(feedback_.seen_pairs(), 2);
  EXPECT_EQ(feedback_.seen_fingerprints(), 3);
}

TEST_F(ScheduleFeedbackTest, AnEdgeThatOneOfTwoRepetitionsShowsDoesNotCount) {
  int runs = 0;
  edges_[0] = edges_[9] = 1;  // what the first run has shown
  feedback_.Confirm([&] {
    ++runs;
    edges_[1] = 1;
    edges_[2] = runs == 1 ? 1 : 0;
    edges_[3] = runs == 1 ? 0 : 1;
    edges_[4] = runs == 1 ? 4 : 8;
    edges_[5] = runs == 1 ? 4 : 7;
  });
  EXPECT_EQ(runs, 2);
  const std::array<uint8_t, 20> expected = {0, 1, 0, 0, 0, 7};
  EXPECT_EQ(edges_, expected);
}

TEST_F(ScheduleFeedbackTest, WithoutInstrumentationAndCountersNothingIsNew) {
  ScheduleFeedback none({}, {});
  Execute({0, 1});
  EXPECT_FALSE(none.ShowsNew(locks_));
  none.Publish(locks_);
  EXPECT_EQ(none.seen_pairs(), 0);
}

}  // namespace
}  // namespace twingrad::fuzzing
