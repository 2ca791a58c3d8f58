#include "proptests/interleave/strategies/few_preemptions.h"

#include <gtest/gtest.h>

namespace twingrad::interleave {
namespace {

constexpr Question kMayGoOn = {DecisionKind::kThread, 3, 1, 0};
constexpr Question kMustSwitch = {DecisionKind::kThread, 3, -1, 0};
constexpr Question kSpurious = {DecisionKind::kSpurious, 2, -1, 0};

int Deviations(FewPreemptions& strategy, uint64_t seed) {
  strategy.Begin(seed);
  int deviations = 0;
  for (int i = 0; i < 50; ++i) {
    if (strategy.Choose(kMayGoOn) != kMayGoOn.current) ++deviations;
    if (strategy.Choose(kSpurious) != 0) ++deviations;
  }
  return deviations;
}

TEST(FewPreemptions, NoneMeansThatTheRunningThreadGoesOn) {
  FewPreemptions strategy(0, 100);
  for (uint64_t seed = 0; seed < 20; ++seed) EXPECT_EQ(Deviations(strategy, seed), 0);
}

TEST(FewPreemptions, AtMostAsManyAsAskedForAndOftenAll) {
  FewPreemptions strategy(3, 100);
  int all = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const int deviations = Deviations(strategy, seed);
    EXPECT_LE(deviations, 3);
    EXPECT_GE(deviations, 1);
    all += deviations == 3 ? 1 : 0;
  }
  EXPECT_GT(all, 80);
}

TEST(FewPreemptions, AForcedSwitchIsFreeAndReachesEveryThread) {
  FewPreemptions strategy(0, 100);
  strategy.Begin(1);
  int chosen[3] = {};
  for (int i = 0; i < 300; ++i) ++chosen[strategy.Choose(kMustSwitch)];
  for (int count : chosen) EXPECT_GT(count, 50);
}

TEST(FewPreemptions, TheSeedDecidesAll) {
  FewPreemptions a(4, 100);
  FewPreemptions b(4, 100);
  a.Begin(7);
  b.Begin(7);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.Choose(kMayGoOn), b.Choose(kMayGoOn));
}

}  // namespace
}  // namespace twingrad::interleave
