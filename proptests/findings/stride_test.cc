#include "proptests/findings/stride.h"

#include "gtest/gtest.h"

namespace twingrad::findings {
namespace {

TEST(StrideTest, FewerAreTakenWithoutNews) {
  Stride stride;
  int taken = 0;
  for (int i = 0; i < 96; ++i) {
    if (!stride.Takes("twin")) continue;
    ++taken;
    stride.Minimized(/*news=*/false);
  }
  EXPECT_EQ(taken, 64);
}

TEST(StrideTest, WhatLooksLikeNoneBeforeIsTaken) {
  Stride stride;
  for (int i = 0; i < 32; ++i) {
    EXPECT_TRUE(stride.Takes("twin"));
    stride.Minimized(/*news=*/false);
  }
  EXPECT_FALSE(stride.Takes("twin"));
  EXPECT_TRUE(stride.Takes("errors"));
  stride.Minimized(/*news=*/true);
}

TEST(StrideTest, LooksAreTheOracleNanAndCircumstances) {
  EXPECT_EQ(LooksOf("twin", "twin: value of %x\n  actual   1\n  circumstance: pow with a 0\n"),
            "twin\n  circumstance: pow with a 0");
  EXPECT_EQ(LooksOf("twin", "  expected 0\n  actual   nan\n"), "twin\n  actual   nan");
}

}  // namespace
}  // namespace twingrad::findings
