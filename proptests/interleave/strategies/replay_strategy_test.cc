#include "proptests/interleave/strategies/replay_strategy.h"

#include "gtest/gtest.h"

namespace twingrad::interleave {
namespace {

const Trace kTrace = {{DecisionKind::kThread, 3, 2, 17}, {DecisionKind::kWaiter, 2, 1, 18}};

TEST(ReplayStrategyTest, AnswersAsRecorded) {
  ReplayStrategy strategy(kTrace);
  for (int run = 0; run < 2; ++run) {
    strategy.Begin(0);
    EXPECT_EQ(strategy.Choose({DecisionKind::kThread, 3, 0, 17}), 2);
    EXPECT_FALSE(strategy.Finished());
    EXPECT_EQ(strategy.Choose({DecisionKind::kWaiter, 2, 0, 18}), 1);
    EXPECT_TRUE(strategy.Finished());
    EXPECT_EQ(strategy.error(), "");
  }
}

TEST(ReplayStrategyTest, NamesTheDecisionWhereItDiverges) {
  for (const Question& question :
       {Question{DecisionKind::kWaiter, 3, 0, 17}, Question{DecisionKind::kThread, 2, 0, 17},
        Question{DecisionKind::kThread, 3, 0, 16}}) {
    ReplayStrategy strategy(kTrace);
    strategy.Begin(0);
    strategy.Choose(question);
    EXPECT_NE(strategy.error().find("diverged at decision 0"), std::string::npos)
        << strategy.error();
    EXPECT_FALSE(strategy.Finished());
    EXPECT_EQ(strategy.expected_site(), 17u);
  }
}

TEST(ReplayStrategyTest, NamesTheFirstDecisionThatIsLeftOver) {
  ReplayStrategy strategy(kTrace);
  strategy.Begin(0);
  strategy.Choose({DecisionKind::kThread, 3, 0, 17});
  EXPECT_FALSE(strategy.Finished());
  EXPECT_EQ(strategy.LeftOver(),
            "[interleave] the execution ended after 1 of 2 recorded decisions; recorded next is "
            "waiter of 2 at site 12");
}

TEST(ReplayStrategyTest, AQuestionTooManyIsADivergence) {
  ReplayStrategy strategy(Trace{});
  strategy.Begin(0);
  strategy.Choose({DecisionKind::kThread, 2, 0, 1});
  EXPECT_NE(strategy.error().find("ends after 0 decisions"), std::string::npos);
}

TEST(ReplayStrategyTest, AfterATraceThatWasCutOffItGoesStraightOn) {
  ReplayStrategy strategy(kTrace, /*goes_on=*/true);
  strategy.Begin(0);
  EXPECT_EQ(strategy.Choose({DecisionKind::kThread, 3, 0, 17}), 2);
  EXPECT_EQ(strategy.Choose({DecisionKind::kWaiter, 2, 0, 18}), 1);
  EXPECT_EQ(strategy.Choose({DecisionKind::kThread, 3, 1, 5}), 1);
  EXPECT_EQ(strategy.Choose({DecisionKind::kThread, 3, -1, 5}), 0);
  EXPECT_EQ(strategy.Choose({DecisionKind::kSpurious, 2, 1, 5}), 0);
  EXPECT_EQ(strategy.error(), "");
  EXPECT_TRUE(strategy.Finished());
}

}  // namespace
}  // namespace twingrad::interleave
