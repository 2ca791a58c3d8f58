#include "proptests/interleave/strategies/forced_strategy.h"

#include <vector>

#include "gtest/gtest.h"

namespace twingrad::interleave {
namespace {

Question Threads(int thread, int step, int current, uint64_t runnable, int alternatives) {
  return {.kind = DecisionKind::kThread,
          .alternatives = alternatives,
          .current = current,
          .site = 0,
          .thread = thread,
          .step = step,
          .runnable = runnable};
}

TEST(ForcedStrategyTest, GoesStraightOnWithoutChoices) {
  ForcedStrategy strategy({});
  strategy.Begin(1);
  EXPECT_EQ(strategy.Choose(Threads(2, 5, 1, 0b110, 2)), 1);
  EXPECT_EQ(strategy.Choose(Threads(2, 5, -1, 0b1010, 2)), 0);
  EXPECT_EQ(strategy.Choose(
                {.kind = DecisionKind::kSpurious, .alternatives = 2, .current = 0, .site = 0}),
            0);
}

TEST(ForcedStrategyTest, AChoiceHoldsAtOneStepOfOneThreadIfItFits) {
  ForcedStrategy strategy({{DecisionKind::kThread, 2, 5, 3}, {DecisionKind::kWaiter, 1, 7, 1}});
  strategy.Begin(1);
  EXPECT_EQ(strategy.Choose(Threads(2, 5, 0, 0b1101, 3)), 2) << "thread 3 is third of 0, 2, 3";
  EXPECT_EQ(strategy.Choose(Threads(2, 6, 0, 0b1101, 3)), 0) << "another step";
  EXPECT_EQ(strategy.Choose(Threads(2, 5, 0, 0b0101, 2)), 0) << "thread 3 cannot go on";
  const Question waiter{.kind = DecisionKind::kWaiter,
                        .alternatives = 2,
                        .current = 0,
                        .site = 0,
                        .thread = 1,
                        .step = 7};
  EXPECT_EQ(strategy.Choose(waiter), 1);
}

TEST(ForcedStrategyTest, ChoicesOfATraceRepeatIt) {
  Trace trace;
  trace.push_back({.kind = DecisionKind::kThread,
                   .alternatives = 3,
                   .chosen = 2,
                   .site = 1,
                   .current = 0,
                   .thread = 0,
                   .step = 4,
                   .runnable = 0b1011});
  trace.push_back({.kind = DecisionKind::kThread,
                   .alternatives = 2,
                   .chosen = 0,
                   .site = 1,
                   .current = 0,
                   .thread = 3,
                   .step = 1,
                   .runnable = 0b1010});
  trace.push_back({.kind = DecisionKind::kThread,
                   .alternatives = 2,
                   .chosen = 1,
                   .site = 1,
                   .current = -1,
                   .thread = 3,
                   .step = 2,
                   .runnable = 0b0011});
  trace.push_back({.kind = DecisionKind::kSpurious,
                   .alternatives = 2,
                   .chosen = 1,
                   .site = 1,
                   .current = 0,
                   .thread = 1,
                   .step = 9});
  const std::vector<ForcedChoice> choices = ForcedChoicesOf(trace);
  EXPECT_EQ(choices, (std::vector<ForcedChoice>{{DecisionKind::kThread, 0, 4, 3},
                                                {DecisionKind::kThread, 3, 2, 1},
                                                {DecisionKind::kSpurious, 1, 9, 1}}));
  EXPECT_EQ(PreemptionsOf(trace), 1);
  ForcedStrategy strategy(choices);
  for (const Decision& decision : trace) {
    EXPECT_EQ(strategy.Choose({.kind = decision.kind,
                               .alternatives = decision.alternatives,
                               .current = decision.current,
                               .site = decision.site,
                               .thread = decision.thread,
                               .step = decision.step,
                               .runnable = decision.runnable}),
              decision.chosen);
  }
}

}  // namespace
}  // namespace twingrad::interleave
