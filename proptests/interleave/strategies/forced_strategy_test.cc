#include "proptests/interleave/strategies/forced_strategy.h"

#include <vector>

#include "gtest/gtest.h"

namespace twingrad::interleave {
namespace {

Question Threads(int thread, int step, int current, uint64_t runnable, int alternatives) {
  return {DecisionKind::kThread, alternatives, current, 0, thread, step, runnable};
}

TEST(ForcedStrategyTest, GoesStraightOnWithoutChoices) {
  ForcedStrategy strategy({});
  strategy.Begin(1);
  EXPECT_EQ(strategy.Choose(Threads(2, 5, 1, 0b110, 2)), 1);
  EXPECT_EQ(strategy.Choose(Threads(2, 5, -1, 0b1010, 2)), 0);
  EXPECT_EQ(strategy.Choose({.kind = DecisionKind::kSpurious, .current = 0}), 0);
}

TEST(ForcedStrategyTest, WorkBesideTheThreadsIsLateUnlessChosenByItsNumber) {
  const Question look{.kind = DecisionKind::kStream,
                      .alternatives = 3,
                      .current = 0,
                      .thread = 1,
                      .step = 4,
                      .runnable = 0b1011};
  Trace trace = {{DecisionKind::kStream, 3, 2, 0, 0, 1, 4, 0b1011}};
  EXPECT_EQ(ForcedChoicesOf(trace).at(0).chosen, 3);
  EXPECT_EQ(PreemptionsOf(trace), 0);
  ForcedStrategy usual({}), forced(ForcedChoicesOf(trace));
  usual.Begin(1);
  forced.Begin(1);
  EXPECT_EQ(usual.Choose(look), 0);
  EXPECT_EQ(forced.Choose(look), 2);
  Question without = look;
  without.runnable = 0b0011;
  without.alternatives = 2;
  EXPECT_EQ(forced.Choose(without), 0) << "it cannot go on";
}

TEST(ForcedStrategyTest, AChoiceHoldsAtOneStepOfOneThreadIfItFits) {
  ForcedStrategy strategy({{DecisionKind::kThread, 2, 5, 3}, {DecisionKind::kWaiter, 1, 7, 1}});
  strategy.Begin(1);
  EXPECT_EQ(strategy.Choose(Threads(2, 5, 0, 0b1101, 3)), 2) << "thread 3 is third of 0, 2, 3";
  EXPECT_EQ(strategy.Choose(Threads(2, 6, 0, 0b1101, 3)), 0) << "another step";
  EXPECT_EQ(strategy.Choose(Threads(2, 5, 0, 0b0101, 2)), 0) << "thread 3 cannot go on";
  EXPECT_EQ(strategy.Choose({.kind = DecisionKind::kWaiter, .current = 0, .thread = 1, .step = 7}),
            1);
}

TEST(ForcedStrategyTest, ChoicesOfATraceRepeatIt) {
  // kind, alternatives, chosen, site, current, thread, step, runnable
  const Trace trace = {{DecisionKind::kThread, 3, 2, 1, 0, 0, 4, 0b1011},
                       {DecisionKind::kThread, 2, 0, 1, 0, 3, 1, 0b1010},
                       {DecisionKind::kThread, 2, 1, 1, -1, 3, 2, 0b0011},
                       {DecisionKind::kSpurious, 2, 1, 1, 0, 1, 9, 0}};
  const std::vector<ForcedChoice> choices = ForcedChoicesOf(trace);
  EXPECT_EQ(choices, (std::vector<ForcedChoice>{{DecisionKind::kThread, 0, 4, 3},
                                                {DecisionKind::kThread, 3, 2, 1},
                                                {DecisionKind::kSpurious, 1, 9, 1}}));
  EXPECT_EQ(PreemptionsOf(trace), 1);
  ForcedStrategy strategy(choices);
  for (const Decision& taken : trace) {
    EXPECT_EQ(strategy.Choose({taken.kind, taken.alternatives, taken.current, taken.site,
                               taken.thread, taken.step, taken.runnable}),
              taken.chosen);
  }
}

constexpr Question kMayGoOn = {DecisionKind::kThread, 3, 1};
constexpr Question kMustSwitch = {DecisionKind::kThread, 3, -1};
constexpr Question kSpurious = {DecisionKind::kSpurious};

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
