#include "proptests/interleave/strategies/strategies.h"

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace twingrad::interleave {
namespace {

constexpr char kFolder[] = "proptests/interleave/strategies/";

// Serve replay, shrinking and fuzzing: made from a trace or from bytes, not from a name.
const std::set<std::string> kNotByName = {"replay", "forced", "bytes"};

std::string TextOf(const StrategyRow& row, int StrategyParameter::*extreme) {
  std::string text(row.name);
  char separator = ':';
  for (const StrategyParameter& parameter : row.parameters) {
    text += separator + std::string(parameter.name) + "=" + std::to_string(parameter.*extreme);
    separator = ',';
  }
  return text;
}

Question Ask(DecisionKind kind) {
  if (!IsOfSet(kind)) return {.kind = kind, .alternatives = 2};
  return {.kind = kind, .alternatives = 3, .current = 0, .runnable = 0b111};
}

// To more questions than pct takes an execution to have at first.
std::vector<int> Answers(Strategy& strategy, uint64_t seed, int questions = 150) {
  strategy.Begin(seed);
  std::vector<int> answers;
  for (int i = 0; i < questions; ++i) {
    answers.push_back(strategy.Choose(Ask(DecisionKind::kThread)));
  }
  return answers;
}

TEST(StrategiesTest, EachFileHasARowAndEachRowItsFiles) {
  std::set<std::string> rows;
  for (const StrategyRow& row : Strategies()) {
    const std::string name(row.name);
    EXPECT_TRUE(rows.insert(name).second) << "two rows of strategies.cc are called " << name;
    EXPECT_FALSE(row.about.empty()) << "the row of " << name << " says nothing about it";
    for (const char* end : {"_strategy.h", "_strategy_test.cc"}) {
      EXPECT_TRUE(std::filesystem::exists(kFolder + name + end))
          << "strategies.cc has a row for " << name << ", but " << name << end
          << " is missing; add it to " << kFolder;
    }
  }
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    const std::string file = entry.path().filename();
    const size_t end = file.find("_strategy.h");
    if (end == std::string::npos || kNotByName.count(file.substr(0, end)) > 0) continue;
    EXPECT_EQ(rows.count(file.substr(0, end)), 1u)
        << file << " has no row in strategies.cc; add one, or its name to kNotByName";
  }
}

TEST(StrategiesTest, NamesMakeWhatBearsThem) {
  for (const StrategyRow& row : Strategies()) {
    if (row.name == kDefaultStrategy) continue;
    for (auto extreme : {&StrategyParameter::lowest, &StrategyParameter::highest}) {
      const std::string text = TextOf(row, extreme);
      const auto strategy = MakeStrategy(text);
      ASSERT_TRUE(strategy.ok()) << strategy.status();
      EXPECT_EQ((*strategy)->name(), text)
          << "name() must print every parameter of its row, in the order of the row";
    }
  }
  EXPECT_EQ((*MakeStrategy("random"))->name(), "random:switch=10,spurious=2");
  EXPECT_EQ((*MakeStrategy("starve:starve=20,spurious=0"))->name(),
            "starve:starve=20,switch=10,spurious=0");
  EXPECT_EQ((*MakeStrategy("pct:min_depth=5"))->name(),
            "pct:min_depth=5,max_depth=5,length=100,spurious=2");
}

TEST(StrategiesTest, NameAndSeedRepeatASchedule) {
  for (const StrategyRow& row : Strategies()) {
    const auto strategy = MakeStrategy(row.name);
    ASSERT_TRUE(strategy.ok()) << strategy.status();
    for (uint64_t seed = 1; seed <= 30; ++seed) {
      const std::vector<int> answers = Answers(**strategy, seed);
      const auto again = MakeStrategy((*strategy)->name());
      ASSERT_TRUE(again.ok()) << again.status();
      EXPECT_EQ(Answers(**again, seed), answers)
          << row.name << ": " << (*strategy)->name() << ", seed " << seed;
    }
  }
}

TEST(StrategiesTest, EachAnswersEveryQuestionAndReachesEveryThread) {
  for (const StrategyRow& row : Strategies()) {
    const auto strategy = MakeStrategy(row.name);
    ASSERT_TRUE(strategy.ok()) << strategy.status();
    std::set<int> threads;
    for (uint64_t seed = 1; seed <= 30; ++seed) {
      (*strategy)->Begin(seed);
      for (int i = 0; i < 20 * kDecisionKinds; ++i) {
        const Question question = Ask(static_cast<DecisionKind>(i % kDecisionKinds));
        const int chosen = (*strategy)->Choose(question);
        ASSERT_GE(chosen, 0) << row.name << ", " << DecisionName(question.kind);
        ASSERT_LT(chosen, question.alternatives) << row.name << ", " << DecisionName(question.kind);
        if (question.kind == DecisionKind::kThread) threads.insert(chosen);
      }
      EXPECT_EQ((*strategy)->error(), "") << row.name;
    }
    EXPECT_EQ(threads.size(), 3u) << row.name;
  }
}

TEST(StrategiesTest, TheDefaultTakesEveryOtherOneInTurns) {
  const auto mixed = MakeDefaultStrategy();
  std::set<std::string> seen;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    mixed->Begin(seed);
    const std::string name = mixed->name();
    seen.insert(name.substr(0, name.find(':')));
  }
  EXPECT_EQ(seen.size(), Strategies().size() - 1);
  EXPECT_EQ(MakeEachStrategy().size(), Strategies().size() - 1);
}

TEST(StrategiesTest, ErrorsSayWhatIsAllowed) {
  const auto message = [](const char* text) {
    return std::string(MakeStrategy(text).status().message());
  };
  EXPECT_EQ(message("dfs"), "[interleave] no strategy is called `dfs`; allowed are " +
                                std::string(StrategyNames()));
  for (const StrategyRow& row : Strategies()) {
    EXPECT_NE(StrategyNames().find(row.name), std::string_view::npos) << row.name;
  }
  EXPECT_EQ(message("mixed:switch=1"),
            "[interleave] `switch=1` of strategy mixed; it has no parameters");
  EXPECT_EQ(message("random:switch=101"),
            "[interleave] `switch=101` of strategy random; allowed are switch=0..100 "
            "spurious=0..99");
  EXPECT_NE(message("pct:depth=1").find("min_depth=1..100"), std::string::npos);
  EXPECT_NE(message("pct:length").find("length=1.."), std::string::npos);
}

}  // namespace
}  // namespace twingrad::interleave
