#include "proptests/judge/statistics.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace twingrad::judge {
namespace {

TEST(Statistics, TextReadsBack) {
  Statistics statistics;
  statistics.programs = 3;
  statistics.dual_second = 2;
  statistics.dual_judged[1] = 5;
  statistics.traits[4] = 7;
  statistics.opcodes[10] = 9;
  const auto read = Statistics::FromText(statistics.ToText());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->ToText(), statistics.ToText());
  EXPECT_EQ(read->traits[4], 7u);
  EXPECT_EQ(read->dual_judged[1], 5u);
}

TEST(Statistics, MergeAdds) {
  Statistics a;
  a.programs = 1;
  a.opcodes[0] = 2;
  Statistics b = a;
  b.Merge(a);
  EXPECT_EQ(b.programs, 2u);
  EXPECT_EQ(b.opcodes[0], 4u);
}

TEST(Statistics, OtherTextIsRefused) {
  EXPECT_FALSE(Statistics::FromText("").has_value());
  EXPECT_FALSE(Statistics::FromText("1 2 3").has_value());
  EXPECT_FALSE(Statistics::FromText(Statistics().ToText() + " 0").has_value());
  EXPECT_FALSE(Statistics::FromText(Statistics().ToText() + "x").has_value());
}

TEST(Statistics, TraitNamesAreUnique) {
  std::set<std::string_view> names;
  for (int i = 0; i < kNumTraits; ++i) names.insert(TraitName(static_cast<Trait>(i)));
  EXPECT_EQ(names.size(), static_cast<size_t>(kNumTraits));
}

}  // namespace
}  // namespace twingrad::judge
