// Powers that are numbers of the format, and those that are not.
#include "autograd/tensor/kernels/exact_power.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <utility>

namespace twingrad::kernels {
namespace {

double PowerOf(double a, double b) {
  double power = std::numeric_limits<double>::quiet_NaN();
  return ExactPower(a, b, &power) ? power : std::numeric_limits<double>::quiet_NaN();
}

TEST(ExactPowerTest, NumbersOfTheFormat) {
  EXPECT_EQ(PowerOf(3, 1), 3);
  EXPECT_EQ(PowerOf(-3, 3), -27);
  EXPECT_EQ(PowerOf(1.5, 4), 5.0625);
  EXPECT_EQ(PowerOf(7, 0), 1);
  EXPECT_EQ(PowerOf(2, -3), 0.125);
  EXPECT_EQ(PowerOf(-2, 1023), -0x1p1023);
  EXPECT_EQ(PowerOf(0x1p-300, 3), 0x1p-900);
  EXPECT_EQ(PowerOf(-1, 1099), -1);
}

TEST(ExactPowerTest, AllOthersAreNone) {
  for (const auto& [a, b] : {std::pair(0.1, 2.0),
                             {3.0, -1.0},
                             {3.0, 34.0},
                             {2.0, 0.5},
                             {2.0, 1024.0},
                             {0.0, 2.0},
                             {HUGE_VAL, 1.0},
                             {2.0, NAN},
                             {NAN, 2.0},
                             {1.0, 1e300}}) {
    EXPECT_TRUE(std::isnan(PowerOf(a, b))) << a << " " << b;
  }
}

// The C library's pow is less than a unit off, so of numbers of the format it gives those.
TEST(ExactPowerTest, IsWhatTheCLibraryGives) {
  std::mt19937_64 random(1);
  int exact = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double a = std::ldexp(static_cast<double>(random() % 64) - 32, -3);
    const double b = static_cast<double>(random() % 24) - 8;
    const double power = PowerOf(a, b);
    if (std::isnan(power)) continue;
    ++exact;
    ASSERT_EQ(power, std::pow(a, b)) << a << " " << b;
  }
  EXPECT_GT(exact, 10'000);
}

}  // namespace
}  // namespace twingrad::kernels
