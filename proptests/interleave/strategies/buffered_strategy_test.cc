#include "proptests/interleave/strategies/buffered_strategy.h"

#include <vector>

#include "gtest/gtest.h"

namespace twingrad::interleave {
namespace {

std::vector<int> Answers(Strategy& strategy, uint64_t seed, DecisionKind kind, int alternatives) {
  strategy.Begin(seed);
  std::vector<int> answers;
  for (int i = 0; i < 1000; ++i) {
    answers.push_back(strategy.Choose({.kind = kind, .alternatives = alternatives, .current = 0}));
  }
  return answers;
}

TEST(BufferedStrategyTest, TheSeedFixesTheAnswers) {
  BufferedStrategy one;
  BufferedStrategy two;
  EXPECT_EQ(Answers(one, 7, DecisionKind::kStale, 4), Answers(two, 7, DecisionKind::kStale, 4));
  EXPECT_NE(Answers(one, 7, DecisionKind::kStale, 4), Answers(two, 8, DecisionKind::kStale, 4));
}

TEST(BufferedStrategyTest, MostLoadsReadTheLatestStoreAndEachOlderOneIsRead) {
  BufferedStrategy strategy({.stale_percent = 30});
  for (const DecisionKind kind : {DecisionKind::kStale, DecisionKind::kPlace}) {
    std::vector<int> counts(4);
    for (const int answer : Answers(strategy, 1, kind, 4)) {
      ++counts.at(static_cast<size_t>(answer));
    }
    EXPECT_NEAR(counts[0], 700, 60);
    for (int older = 1; older < 4; ++older) EXPECT_NEAR(counts[older], 100, 40);
  }
}

TEST(BufferedStrategyTest, MemoryBelongsToTheStrategyWhoseTurnItIs) {
  EXPECT_EQ(BufferedStrategy().memory(), Memory::kBuffered);
  EXPECT_EQ(RandomStrategy().memory(), Memory::kSequential);
}

}  // namespace
}  // namespace twingrad::interleave
