#include "proptests/interleave/strategies/random_strategy.h"

#include <vector>

#include "gtest/gtest.h"

namespace twingrad::interleave {
namespace {

std::vector<int> Answers(RandomStrategy& strategy, uint64_t seed, const Question& question) {
  strategy.Begin(seed);
  std::vector<int> answers;
  for (int i = 0; i < 10000; ++i) answers.push_back(strategy.Choose(question));
  return answers;
}

TEST(RandomStrategyTest, TheSeedFixesTheAnswers) {
  RandomStrategy strategy;
  const Question question{DecisionKind::kThread, 4, 1, 0};
  const std::vector<int> answers = Answers(strategy, 7, question);
  EXPECT_EQ(Answers(strategy, 7, question), answers);
  EXPECT_NE(Answers(strategy, 8, question), answers);
}

TEST(RandomStrategyTest, StaysNineTimesInTenAndReachesEveryThread) {
  RandomStrategy strategy;
  std::vector<int> counts(4, 0);
  for (int answer : Answers(strategy, 7, {DecisionKind::kThread, 4, 1, 0})) {
    ASSERT_GE(answer, 0);
    ASSERT_LT(answer, 4);
    ++counts[static_cast<size_t>(answer)];
  }
  EXPECT_GT(counts[1], 8700);
  EXPECT_LT(counts[1], 9300);
  for (int other : {0, 2, 3}) EXPECT_GT(counts[static_cast<size_t>(other)], 200);
}

TEST(RandomStrategyTest, WorkBesideAThreadGoesOnInOneLookOfFourUnlessTheThreadWaits) {
  RandomStrategy strategy;
  std::vector<int> looks(3, 0), waits(2, 0);
  const Question look{
      .kind = DecisionKind::kStream, .alternatives = 3, .current = 0, .runnable = 0b1011};
  for (int answer : Answers(strategy, 7, look)) ++looks.at(static_cast<size_t>(answer));
  EXPECT_GT(looks[0], 7200);
  EXPECT_LT(looks[0], 7800);
  EXPECT_GT(looks[2], 1000);
  const Question wait{
      .kind = DecisionKind::kStream, .alternatives = 2, .current = 1, .runnable = 0b1010};
  for (int answer : Answers(strategy, 7, wait)) ++waits.at(static_cast<size_t>(answer));
  EXPECT_GT(waits[0], 4500);
  EXPECT_LT(waits[0], 5500);
}

TEST(RandomStrategyTest, IsUniformWhenTheRunningThreadCannotGoOn) {
  RandomStrategy strategy;
  std::vector<int> counts(3, 0);
  for (int answer : Answers(strategy, 7, {DecisionKind::kThread, 3, -1, 0})) {
    ++counts[static_cast<size_t>(answer)];
  }
  for (int count : counts) EXPECT_GT(count, 3000);
}

TEST(RandomStrategyTest, SpuriousWakeUpsFollowTheirChance) {
  RandomStrategy never({.switch_percent = 10, .spurious_percent = 0});
  RandomStrategy always({.switch_percent = 10, .spurious_percent = 100});
  for (int answer : Answers(never, 7, {DecisionKind::kSpurious, 2, 0, 0})) ASSERT_EQ(answer, 0);
  for (int answer : Answers(always, 7, {DecisionKind::kSpurious, 2, 0, 0})) ASSERT_EQ(answer, 1);
}

}  // namespace
}  // namespace twingrad::interleave
