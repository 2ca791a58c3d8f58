#include "proptests/interleave/strategies/starve_strategy.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "proptests/interleave/strategies/thread_set.h"

namespace twingrad::interleave {
namespace {

// Three threads that can always go on; the one that ran last is the current one.
std::vector<int> ThreadsOf(Strategy& strategy, uint64_t seed, int decisions) {
  strategy.Begin(seed);
  std::vector<int> threads;
  Question question = {.alternatives = 3, .current = 0, .runnable = 0b111};
  for (int i = 0; i < decisions; ++i) {
    question.current = strategy.Choose(question);
    threads.push_back(question.current);
  }
  return threads;
}

// The longest stretch in which a thread did not run although it could and did before and after.
int LongestAbsence(const std::vector<int>& threads) {
  int longest = 0;
  for (int thread = 0; thread < 3; ++thread) {
    int last = -1;
    for (int i = 0; i < static_cast<int>(threads.size()); ++i) {
      if (threads[static_cast<size_t>(i)] != thread) continue;
      if (last >= 0) longest = std::max(longest, i - last);
      last = i;
    }
  }
  return longest;
}

TEST(StarveStrategyTest, TheSeedFixesTheAnswers) {
  StarveStrategy one;
  StarveStrategy two;
  EXPECT_EQ(ThreadsOf(one, 7, 1000), ThreadsOf(two, 7, 1000));
  EXPECT_NE(ThreadsOf(one, 7, 1000), ThreadsOf(two, 8, 1000));
}

TEST(StarveStrategyTest, KeepsAThreadAwayForLongAndLetsItBackIn) {
  StarveStrategy starve;
  RandomStrategy random;
  EXPECT_GT(LongestAbsence(ThreadsOf(starve, 1, 20'000)), 1000);
  EXPECT_LT(LongestAbsence(ThreadsOf(random, 1, 20'000)), 400);
}

TEST(StarveStrategyTest, NeverAsksForWhatCannotBe) {
  StarveStrategy strategy({.starve_percent = 100});
  SplitMix random(3);
  strategy.Begin(1);
  for (int i = 0; i < 20'000; ++i) {
    Question question;
    while (CountOf(question.runnable) < 2) question.runnable = random.Next() & 0b11111;
    question.alternatives = CountOf(question.runnable);
    question.current = random.Below(question.alternatives + 1) - 1;
    const int chosen = strategy.Choose(question);
    ASSERT_GE(chosen, 0);
    ASSERT_LT(chosen, question.alternatives);
  }
}

}  // namespace
}  // namespace twingrad::interleave
