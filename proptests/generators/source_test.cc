#include "proptests/generators/source.h"

#include <array>
#include <vector>

#include "gtest/gtest.h"

namespace twingrad::generators {
namespace {

TEST(Source, SameSeedSameDraws) {
  Source a = Source::FromSeed(7);
  Source b = Source::FromSeed(7);
  Source c = Source::FromSeed(8);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const uint64_t draw = a.Below(1000);
    EXPECT_EQ(draw, b.Below(1000));
    differs |= draw != c.Below(1000);
  }
  EXPECT_TRUE(differs);
}

TEST(Source, DrawsAreSpreadEvenly) {
  Source source = Source::FromSeed(1);
  std::array<int, 10> seen = {};
  for (int i = 0; i < 10000; ++i) ++seen[source.Below(10)];
  for (int count : seen) {
    EXPECT_GT(count, 850);
    EXPECT_LT(count, 1150);
  }
}

TEST(Source, ExhaustedBytesDrawZero) {
  const std::vector<uint8_t> bytes = {5, 255};
  Source source = Source::FromBytes(bytes);
  EXPECT_EQ(source.Below(10), 5u);
  EXPECT_TRUE(source.Chance(50));  // 255 % 100 = 55
  EXPECT_EQ(source.Below(10), 0u);
  EXPECT_EQ(source.Below(100000), 0u);
  EXPECT_FALSE(source.Chance(99));
  EXPECT_EQ(source.Bits(), 0u);
  EXPECT_EQ(source.Pick({3, 4}), 3);
}

TEST(Source, BetweenStaysInItsRange) {
  Source source = Source::FromSeed(2);
  for (int i = 0; i < 1000; ++i) {
    const int64_t draw = source.Between(-3, 4);
    EXPECT_GE(draw, -3);
    EXPECT_LE(draw, 4);
  }
}

}  // namespace
}  // namespace twingrad::generators
