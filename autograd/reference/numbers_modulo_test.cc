// What is left of a number: exactly, and where bounds reach a jump.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

#include "autograd/reference/numbers.h"

namespace twingrad::reference {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

void ExpectExactly(Number x, double value) {
  EXPECT_EQ(x.v, value);
  EXPECT_EQ(x.e, 0);
}

TEST(ModuloTest, OfExactNumbersIsExact) {
  ExpectExactly(Fmod({-7, 0}, {3, 0}, kF64Format), -1);
  ExpectExactly(Remainder({-7, 0}, {3, 0}, kF64Format), 2);
  ExpectExactly(Remainder({7, 0}, {-3, 0}, kF32Format), -2);
  ExpectExactly(Fmod({1e300, 0}, {7, 0}, kF64Format), std::fmod(1e300, 7));
  ExpectExactly(Fmod({5, 0}, {-kFar, 0}, kF64Format), 5);
  ExpectExactly(Remainder({5, 0}, {-kFar, 0}, kF64Format), -kFar);
}

// A little less than 1 is not a double.
TEST(ModuloTest, AddingTheSecondMayRound) {
  const Number rest = Remainder({-1e-30, 0}, {1, 0}, kF64Format);
  EXPECT_EQ(rest.v, 1);
  EXPECT_GT(rest.e, 0x1p-54);
  EXPECT_LT(rest.e, 0x1p-50);
}

TEST(ModuloTest, NothingIsLeftBesideZeroOrOfInfinities) {
  for (const auto& [a, b] : {std::pair(1.0, 0.0), {kFar, 2.0}, {0.0, 0.0}}) {
    const Number rest = Fmod({a, 0}, {b, 0}, kF64Format);
    EXPECT_TRUE(std::isnan(rest.v)) << a << " " << b;
    EXPECT_EQ(rest.e, 0) << a << " " << b;
    EXPECT_EQ(WholeQuotient({a, 0}, {b, 0}, false).e, kUnknown) << a << " " << b;
  }
}

TEST(ModuloTest, WholeQuotients) {
  ExpectExactly(WholeQuotient({0.3, 0}, {0.1, 0}, false), 2);  // whose quotient is rounded to 3
  ExpectExactly(WholeQuotient({-7, 0}, {3, 0}, false), -2);
  ExpectExactly(WholeQuotient({-7, 0}, {3, 0}, true), -3);
  ExpectExactly(WholeQuotient({6, 0}, {3, 0}, true), 2);
  const Number large = WholeQuotient({0x1p70, 0}, {0.1, 0}, false);
  EXPECT_NEAR(large.v, 0x1p70 / 0.1, large.e);
  EXPECT_GT(large.e, 0);
}

TEST(ModuloTest, BoundsThatReachAJumpLeaveItOpen) {
  const double e = 0x1p-40;
  EXPECT_LT(Fmod({6.5, e}, {3, 0}, kF64Format).e, 2 * e);
  EXPECT_LT(Fmod({6.5, 0}, {3, e}, kF64Format).e, 3 * e);
  EXPECT_EQ(Fmod({6, e}, {3, 0}, kF64Format).e, kUnknown);
  EXPECT_EQ(Fmod({6, 0}, {3, e}, kF64Format).e, kUnknown);
  EXPECT_EQ(Fmod({9 - e, 2 * e}, {3, 0}, kF64Format).e, kUnknown);
  // fmod has no jump at 0, remainder has.
  EXPECT_LT(Fmod({0, e}, {3, 0}, kF64Format).e, 2 * e);
  EXPECT_EQ(Remainder({0, e}, {3, 0}, kF64Format).e, kUnknown);
  EXPECT_EQ(WholeQuotient({1, 0}, {0x1p-41, e}, false).e, kUnknown);
}

}  // namespace
}  // namespace twingrad::reference
