#include "proptests/interleave/strategies/pct_strategy.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace twingrad::interleave {
namespace {

// Among threads 0, 1 and 3.
constexpr Question kAmongThree = {
    .kind = DecisionKind::kThread, .alternatives = 3, .current = 0, .runnable = 0b1011};

std::vector<int> Answers(PctStrategy& strategy, uint64_t seed, int count) {
  strategy.Begin(seed);
  std::vector<int> answers;
  for (int i = 0; i < count; ++i) answers.push_back(strategy.Choose(kAmongThree));
  return answers;
}

int Changes(const std::vector<int>& answers) {
  int changes = 0;
  for (size_t i = 1; i < answers.size(); ++i) changes += answers[i] != answers[i - 1] ? 1 : 0;
  return changes;
}

TEST(PctStrategyTest, WorkBesideTheThreadsIsAlwaysEarlyOrAlwaysLate) {
  PctStrategy strategy;
  std::set<int> firsts;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    strategy.Begin(seed);
    // The thread itself and work 0 and 2; then without the thread, which waits; then all again.
    const Question all{
        .kind = DecisionKind::kStream, .alternatives = 3, .current = 0, .runnable = 0b1011};
    const Question waits{
        .kind = DecisionKind::kStream, .alternatives = 2, .current = 0, .runnable = 0b1010};
    const int first = strategy.Choose(all);
    firsts.insert(first);
    if (first != 0) {
      EXPECT_EQ(strategy.Choose(waits), first - 1);
    }
    EXPECT_EQ(strategy.Choose(all), first);
  }
  EXPECT_EQ(firsts.size(), 3u);
}

TEST(PctStrategyTest, DepthOneNeverDropsAndReachesEveryThread) {
  PctStrategy strategy({.min_depth = 1, .max_depth = 1, .length = 50});
  std::set<int> first;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const std::vector<int> answers = Answers(strategy, seed, 50);
    EXPECT_EQ(Changes(answers), 0);
    first.insert(answers[0]);
  }
  EXPECT_EQ(first, (std::set<int>{0, 1, 2}));
}

TEST(PctStrategyTest, DepthThreeDropsTwiceAtMostAndSomewhereElseForEachSeed) {
  PctStrategy strategy({.min_depth = 3, .max_depth = 3, .length = 50});
  std::set<std::vector<int>> seen;
  int most = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const std::vector<int> answers = Answers(strategy, seed, 50);
    EXPECT_LE(Changes(answers), 2);
    most = std::max(most, Changes(answers));
    seen.insert(answers);
  }
  EXPECT_EQ(most, 2);
  EXPECT_GT(seen.size(), 150u);
}

// Two threads that wait in a loop for the third never keep it from running.
TEST(PctStrategyTest, WhoYieldsLetsAllOthersGoFirst) {
  PctStrategy strategy({.min_depth = 1, .max_depth = 3, .length = 50});
  for (uint64_t seed = 0; seed < 50; ++seed) {
    strategy.Begin(seed);
    Question question = kAmongThree;
    bool ran = false;
    for (int i = 0; i < 10 && !ran; ++i) {
      const int chosen = strategy.Choose(question);
      ran = chosen == 2;
      question.yields = true;
      question.current = chosen;
      question.thread = chosen;
    }
    EXPECT_TRUE(ran) << "seed " << seed;
  }
}

TEST(PctStrategyTest, SeedAndLengthFixTheAnswers) {
  PctStrategy strategy({.min_depth = 2, .max_depth = 4});
  Answers(strategy, 5, 400);
  const std::vector<int> grown = Answers(strategy, 6, 400);
  EXPECT_NE(strategy.name().find("length=400"), std::string::npos) << strategy.name();
  PctStrategy same({.min_depth = 2, .max_depth = 4, .length = 400});
  EXPECT_EQ(Answers(same, 6, 400), grown);
  EXPECT_EQ(same.name(), strategy.name());
}

TEST(PctStrategyTest, OtherChoicesFollowTheirChance) {
  PctStrategy strategy({.spurious_percent = 100});
  strategy.Begin(1);
  EXPECT_EQ(strategy.Choose({DecisionKind::kSpurious, 2, 0}), 1);
  const int waiter = strategy.Choose({DecisionKind::kWaiter, 3, 0});
  EXPECT_GE(waiter, 0);
  EXPECT_LT(waiter, 3);
}

}  // namespace
}  // namespace twingrad::interleave
