#include "proptests/judge/statistics.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace twingrad::judge {
namespace {

TEST(Statistics, TraitNamesAreUnique) {
  std::set<std::string_view> names;
  for (int i = 0; i < kNumTraits; ++i) names.insert(TraitName(static_cast<Trait>(i)));
  EXPECT_EQ(names.size(), static_cast<size_t>(kNumTraits));
}

}  // namespace
}  // namespace twingrad::judge
