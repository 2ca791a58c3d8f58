#include "proptests/interleave/strategies/mixed_strategy.h"

#include <map>
#include <set>
#include <string>

#include "gtest/gtest.h"

namespace twingrad::interleave {
namespace {

TEST(MixedStrategyTest, EachHasAboutAThirdOfTheSchedules) {
  MixedStrategy mixed;
  std::map<std::string, int> turns;
  std::map<std::string, std::set<uint64_t>> remainders;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    mixed.Begin(seed);
    const std::string name = mixed.name();
    const std::string kind = name.substr(0, name.find(':'));
    ++turns[kind];
    remainders[kind].insert(seed % 3);
  }
  ASSERT_EQ(turns.size(), 3u);
  for (const auto& [kind, count] : turns) {
    EXPECT_GT(count, 900) << kind;
    EXPECT_EQ(remainders[kind].size(), 3u) << kind << ": pct needs seeds of every depth";
  }
}

}  // namespace
}  // namespace twingrad::interleave
