#include "proptests/interleave/strategies/mixed_strategy.h"

#include <map>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "proptests/interleave/strategies/strategies.h"

namespace twingrad::interleave {
namespace {

TEST(MixedStrategyTest, EachHasAboutTheSameShareOfTheSchedules) {
  MixedStrategy mixed(MakeEachStrategy());
  const size_t members = MakeEachStrategy().size();
  std::map<std::string, size_t> turns;
  std::map<std::string, std::set<uint64_t>> remainders;
  for (uint64_t seed = 0; seed < 1000 * members; ++seed) {
    mixed.Begin(seed);
    const std::string name = mixed.name();
    const std::string kind = name.substr(0, name.find(':'));
    ++turns[kind];
    remainders[kind].insert(seed % 3);
  }
  ASSERT_EQ(turns.size(), members);
  for (const auto& [kind, count] : turns) {
    EXPECT_GT(count, 900u) << kind;
    EXPECT_EQ(remainders[kind].size(), 3u) << kind << ": pct needs seeds of every depth";
  }
}

}  // namespace
}  // namespace twingrad::interleave
