#include "proptests/interleave/strategies.h"

#include <string>

#include "gtest/gtest.h"

namespace twingrad::interleave {
namespace {

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

TEST(MakeStrategyTest, ErrorsSayWhatIsAllowed) {
  const auto message = [](const char* name) {
    return std::string(MakeStrategy(name).status().message());
  };
  EXPECT_NE(message("dfs").find("random, starve and pct are allowed"), std::string::npos);
  EXPECT_NE(message("random:switch=101").find("switch=0..100"), std::string::npos);
  EXPECT_NE(message("pct:depth=1").find("min_depth=1..100"), std::string::npos);
  EXPECT_NE(message("pct:length").find("length=1.."), std::string::npos);
}

}  // namespace
}  // namespace twingrad::interleave
