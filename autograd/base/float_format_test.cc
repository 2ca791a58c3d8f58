#include "autograd/base/float_format.h"

#include <bit>
#include <cmath>
#include <cstdint>

#include "gtest/gtest.h"

namespace twingrad {
namespace {

constexpr DType kFloats[] = {DType::kF16, DType::kBF16, DType::kF32, DType::kF64};

TEST(FloatFormatTest, FactsOfAFormatAgreeWithEachOther) {
  for (const DType dtype : kFloats) {
    SCOPED_TRACE(DTypeName(dtype));
    const FloatFormat& f = FormatOf(dtype);
    EXPECT_EQ(f.unit, std::ldexp(1, -f.precision));
    EXPECT_EQ(f.smallest_normal, std::ldexp(1, f.min_exponent));
    EXPECT_EQ(f.tiny, std::ldexp(1, f.min_exponent - f.precision + 1));
    // Exponents are symmetric: the largest is 1 - min_exponent.
    EXPECT_EQ(f.largest, std::ldexp(2 - std::ldexp(1, 1 - f.precision), 1 - f.min_exponent));
  }
}

TEST(FloatFormatTest, RoundsToNearestAndTiesToEven) {
  const FloatFormat& half = FormatOf(DType::kF16);
  EXPECT_EQ(Rounded(2049, half), 2048);
  EXPECT_EQ(Rounded(2051, half), 2052);
  EXPECT_EQ(Rounded(-2049.5, half), -2050);
  EXPECT_EQ(Rounded(0x1p-25, half), 0);
  EXPECT_EQ(Rounded(0x1.8p-25, half), 0x1p-24);
  EXPECT_EQ(Rounded(0x3p-25, half), 0x4p-25);
  EXPECT_EQ(Rounded(65519, half), 65504);
  EXPECT_EQ(Rounded(65520, half), HUGE_VAL);
  EXPECT_EQ(Rounded(-1e300, half), -HUGE_VAL);
  EXPECT_TRUE(std::signbit(Rounded(-0.0, half)));
  EXPECT_TRUE(std::isnan(Rounded(std::nan(""), half)));

  const FloatFormat& brain = FormatOf(DType::kBF16);
  EXPECT_EQ(Rounded(257, brain), 256);
  EXPECT_EQ(Rounded(259, brain), 260);
  EXPECT_EQ(Rounded(0x1p-134, brain), 0);
  EXPECT_EQ(Rounded(0x1.ffp127, brain), HUGE_VAL);
  EXPECT_EQ(Rounded(0x1.fep127, brain), 0x1.fep127);
}

TEST(FloatFormatTest, TellsTheNumberBelow) {
  const FloatFormat& half = FormatOf(DType::kF16);
  EXPECT_EQ(NextBelow(1, half), 1 - 0x1p-11);
  EXPECT_EQ(NextBelow(1.0001, half), 1);
  EXPECT_EQ(NextBelow(-1, half), -1 - 0x1p-10);
  EXPECT_EQ(NextBelow(0, half), -0x1p-24);
  EXPECT_EQ(NextBelow(0x1p-14, half), 0x1p-14 - 0x1p-24);
  EXPECT_EQ(NextBelow(2, FormatOf(DType::kBF16)), 2 - 0x1p-7);
  EXPECT_EQ(NextBelow(2, FormatOf(DType::kF32)), std::nextafter(2.0f, 0.0f));
  EXPECT_EQ(NextBelow(2, FormatOf(DType::kF64)), std::nextafter(2.0, 0.0));
}

TEST(FloatFormatTest, FittedNumbersAreFiniteAndNotZero) {
  EXPECT_EQ(Fitted(1e300, FormatOf(DType::kF16)), 65504);
  EXPECT_EQ(Fitted(-1e300, FormatOf(DType::kBF16)), -0x1.fep127);
  EXPECT_EQ(Fitted(-1e-30, FormatOf(DType::kF16)), -0x1p-24);
  EXPECT_EQ(Fitted(0.1, FormatOf(DType::kF32)), static_cast<double>(0.1f));
  EXPECT_EQ(Fitted(0, FormatOf(DType::kF16)), 0);
  EXPECT_EQ(Fitted(HUGE_VAL, FormatOf(DType::kF16)), HUGE_VAL);
}

TEST(FloatFormatTest, NumbersOfAFormatAreTheirOwnRounding) {
  // Every bf16 is the upper half of an f32.
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const double x = std::bit_cast<float>(bits << 16);
    EXPECT_TRUE(IsRepresentable(x, FormatOf(DType::kBF16))) << x;
    EXPECT_TRUE(IsRepresentable(x, FormatOf(DType::kF32))) << x;
  }
  EXPECT_FALSE(IsRepresentable(2049, FormatOf(DType::kF16)));
  EXPECT_FALSE(IsRepresentable(65536, FormatOf(DType::kF16)));
  EXPECT_FALSE(IsRepresentable(0.1, FormatOf(DType::kF32)));
  EXPECT_TRUE(IsRepresentable(0.1, FormatOf(DType::kF64)));
}

}  // namespace
}  // namespace twingrad
