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
  // Ends a run with these counts, which repetitions show too; whether it asks for any.
  bool ShowsNew(const std::array<uint8_t, 20>& counts = {}) {
    int runs = 0;
    feedback_.Begin();
    edges_ = counts;
    feedback_.End(locks_, [&] {
      ++runs;
      edges_ = counts;
    });
    EXPECT_TRUE(runs == 0 || runs == 2) << runs;
    EXPECT_EQ(edges_, counts);
    return runs == 2;
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
  EXPECT_TRUE(ShowsNew()) << "the first execution";
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
      std::array<uint8_t, 20> counts = {};
      counts[at] = static_cast<uint8_t>(count);
      EXPECT_EQ(ShowsNew(counts), is_new) << count << " at " << at;
    }
  }
  EXPECT_EQ(feedback_.seen_edges(), 3);
}

TEST_F(ScheduleFeedbackTest, BothOrdersOfTwoSitesAreNew) {
  Execute({0, 1});
  EXPECT_TRUE(ShowsNew());
  Execute({0, 1});
  EXPECT_FALSE(ShowsNew());
  Execute({1, 0});
  EXPECT_TRUE(ShowsNew());
  EXPECT_EQ(feedback_.seen_pairs(), 2);
  EXPECT_EQ(feedback_.seen_fingerprints(), 2);
  Execute({0, 1, 0});
  EXPECT_TRUE(ShowsNew()) << "the same pairs in another order of all";
  EXPECT_EQ(feedback_.seen_pairs(), 2);
  EXPECT_EQ(feedback_.seen_fingerprints(), 3);
}

TEST_F(ScheduleFeedbackTest, AnEdgeThatOneOfTwoRepetitionsShowsDoesNotCount) {
  Execute({0});
  EXPECT_TRUE(ShowsNew());
  int runs = 0;
  const auto repeat = [&] {
    ++runs;
    edges_[1] = 1;
    edges_[2] = runs == 1 ? 1 : 0;
    edges_[3] = runs == 1 ? 0 : 1;
    edges_[4] = runs == 1 ? 4 : 8;
    edges_[5] = runs == 1 ? 4 : 7;
  };
  feedback_.Begin();
  edges_[0] = edges_[9] = 1;
  feedback_.End(locks_, repeat);
  EXPECT_EQ(runs, 2);
  const std::array<uint8_t, 20> expected = {0, 1, 0, 0, 0, 7};
  EXPECT_EQ(edges_, expected);
  EXPECT_EQ(feedback_.seen_edges(), 2);

  // What was disproved asks for no repetition, and libFuzzer does not see it.
  for (const size_t place : {0, 2, 3, 4, 9}) {
    runs = 0;
    feedback_.Begin();
    edges_[place] = place == 4 ? 8 : 1;
    feedback_.End(locks_, repeat);
    EXPECT_EQ(runs, 0) << place;
    EXPECT_EQ(edges_[place], 0) << place;
  }
  // It counts as soon as two repetitions show it that something else has asked for.
  std::array<uint8_t, 20> counts = {};
  counts[9] = counts[12] = 1;
  EXPECT_TRUE(ShowsNew(counts));
  counts[12] = 0;
  EXPECT_FALSE(ShowsNew(counts));
  EXPECT_EQ(feedback_.seen_edges(), 4);
}

TEST_F(ScheduleFeedbackTest, WithoutInstrumentationAndCountersNothingIsNew) {
  ScheduleFeedback none({}, {});
  Execute({0, 1});
  none.Begin();
  none.End(locks_, [] { ADD_FAILURE() << "repeats"; });
  EXPECT_EQ(none.seen_pairs(), 0);
}

}  // namespace
}  // namespace twingrad::fuzzing
