// Balls hold what they enclose, stay unknown, and are told in two doubles and a radius.

#include "autograd/reference/ball/real.h"

#include <cmath>
#include <limits>

#include "autograd/reference/ball/element.h"
#include "autograd/reference/ball/elementary.h"
#include "gtest/gtest.h"

namespace twingrad::reference::ball {
namespace {

TEST(Real, ExactResultsArePoints) {
  EXPECT_TRUE((Real(6.0) / Real(2.0)).IsPoint());
  EXPECT_FALSE((Real(1.0) / Real(3.0)).IsPoint());
  EXPECT_EQ((Real(1.0) / Real(3.0) * Real(3.0)).ToEnclosure(kF64Format).Distance(1), 0);
  EXPECT_TRUE((Real(1.0) - Real(1.0)).IsZero());
}

TEST(Real, WhatIsUnknownStaysUnknown) {
  const Real unknown = Real::Unknown(), zero;
  EXPECT_FALSE((zero * unknown).IsKnown());
  EXPECT_FALSE((unknown - unknown).IsKnown());
  EXPECT_FALSE(Hull(zero, unknown).IsKnown());
  EXPECT_FALSE((Real(1.0) / zero).IsKnown());
  EXPECT_FALSE((Real(1.0) / Real::Between(-1, 1)).IsKnown());
  EXPECT_FALSE(Real(std::numeric_limits<double>::infinity()).IsKnown());
  EXPECT_FALSE(Real(std::nan("")).IsKnown());
  EXPECT_FALSE(unknown.ToEnclosure(kF64Format).IsKnown());
}

TEST(Real, AnEnclosureKnowsDistancesBelowTheLastPlace) {
  const Enclosure third = (Real(1.0) / Real(3.0)).ToEnclosure(kF64Format);
  EXPECT_EQ(third.nearest, 1.0 / 3);
  EXPECT_NEAR(third.rest, std::fma(-3, 1.0 / 3, 1) / 3, 1e-30);
  EXPECT_LT(third.radius, 1e-32);
  EXPECT_NEAR(third.Distance(std::nextafter(1.0 / 3, 1)), 0x1p-54 - third.rest, 1e-30);
  const Enclosure wide = Real::Between(-1, 2).ToEnclosure(kF64Format);
  EXPECT_EQ(wide.Distance(2), 0);
  EXPECT_NEAR(wide.Distance(2.5), 0.5, 1e-6);
}

TEST(Real, WhatOverflowsTheElementTypeIsInfinite) {
  const Real huge = PowerOf(Real(10.0), Real(60.0));
  EXPECT_EQ(huge.ToEnclosure(kF32Format).nearest, std::numeric_limits<double>::infinity());
  EXPECT_EQ((-huge).ToEnclosure(kF32Format).nearest, -std::numeric_limits<double>::infinity());
  EXPECT_NEAR(huge.ToEnclosure(kF64Format).nearest, 1e60, 1e46);
  EXPECT_FALSE(
      Real(0x1p128).ToEnclosure(kF32Format).IsKnown());  // it may round to the greatest f32
  const Enclosure tiny = PowerOf(Real(10.0), Real(-400.0)).ToEnclosure(kF64Format);
  EXPECT_EQ(tiny.nearest, 0);
  EXPECT_EQ(tiny.Distance(0x1p-1074), 0);
}

TEST(Real, RoundingIsToTheNearestOfTheElementType) {
  EXPECT_EQ(Real(0.1).RoundedTo(kF32Format).Middle(), static_cast<double>(0.1f));
  EXPECT_TRUE(Real(0.1).RoundedTo(kF64Format).IsPoint());
  EXPECT_FALSE(Real(0x1p127).RoundedTo(kF32Format).IsKnown());
  EXPECT_TRUE(IsRepresentable(Real(0.5), kF32Format));
  EXPECT_FALSE(IsRepresentable(Real(0.1), kF32Format));
  EXPECT_FALSE(IsRepresentable(Real(0x1p-150), kF32Format));
  EXPECT_EQ(Real(0.1).RoundedTo(kF16Format).Middle(), Rounded(0.1, kF16Format));
  EXPECT_FALSE(Real(0x1p15).RoundedTo(kF16Format).IsKnown());
  EXPECT_TRUE(Real(0x1p-24).RoundedTo(kF16Format).IsPoint());
  EXPECT_TRUE(Real(0x1p-30).RoundedTo(kF16Format).Overlaps(Real(0.0)));
  EXPECT_TRUE(IsRepresentable(Real(65504.0), kF16Format));
  EXPECT_FALSE(IsRepresentable(Real(65536.0), kF16Format));
  EXPECT_TRUE(IsRepresentable(Real(65536.0), kBF16Format));
  EXPECT_FALSE(IsRepresentable(Real(257.0), kBF16Format));
}

TEST(Real, SumsOfFewBitsAreExactInEveryOrder) {
  const Real big(0x1p53), one(1.0), two(2.0);
  EXPECT_TRUE(AddsExactly({&one, &two, &one}, kF32Format));
  EXPECT_FALSE(AddsExactly({&big, &one}, kF64Format));
}

}  // namespace
}  // namespace twingrad::reference::ball
