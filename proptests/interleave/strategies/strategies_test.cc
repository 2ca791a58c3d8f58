#include "proptests/interleave/strategies/strategies.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace twingrad::interleave {
namespace {

// To more questions than pct takes an execution to have at first.
std::vector<int> Answers(Strategy& strategy, uint64_t seed, int questions = 150) {
  strategy.Begin(seed);
  std::vector<int> answers;
  for (int i = 0; i < questions; ++i) {
    answers.push_back(strategy.Choose({.alternatives = 3, .current = 0, .runnable = 0b111}));
  }
  return answers;
}

TEST(MakeStrategyTest, NamesMakeWhatBearsThem) {
  for (const char* name : {"random:switch=10,spurious=2", "random:switch=50,spurious=0",
                           "starve:starve=20,switch=5,spurious=0",
                           "pct:min_depth=1,max_depth=3,length=77,spurious=2"}) {
    const auto strategy = MakeStrategy(name);
    ASSERT_TRUE(strategy.ok()) << strategy.status();
    EXPECT_EQ((*strategy)->name(), name);
  }
  EXPECT_EQ((*MakeStrategy("random"))->name(), "random:switch=10,spurious=2");
  EXPECT_EQ((*MakeStrategy("pct:min_depth=5"))->name().substr(0, 27),
            "pct:min_depth=5,max_depth=5");
}

TEST(MakeStrategyTest, NameAndSeedRepeatAScheduleOfTheMixture) {
  const auto mixed = MakeStrategy("mixed");
  ASSERT_TRUE(mixed.ok()) << mixed.status();
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    const std::vector<int> answers = Answers(**mixed, seed);
    const auto again = MakeStrategy((*mixed)->name());
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(Answers(**again, seed), answers) << (*mixed)->name() << ", seed " << seed;
  }
}

TEST(MakeStrategyTest, ErrorsSayWhatIsAllowed) {
  const auto message = [](const char* name) {
    return std::string(MakeStrategy(name).status().message());
  };
  EXPECT_NE(message("dfs").find("mixed (which has no parameters), random, starve and pct are"),
            std::string::npos);
  EXPECT_NE(message("mixed:switch=1").find("which has no parameters"), std::string::npos);
  EXPECT_NE(message("random:switch=101").find("switch=0..100"), std::string::npos);
  EXPECT_NE(message("pct:depth=1").find("min_depth=1..100"), std::string::npos);
  EXPECT_NE(message("pct:length").find("length=1.."), std::string::npos);
}

}  // namespace
}  // namespace twingrad::interleave
