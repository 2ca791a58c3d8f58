#include "autograd/program/element_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>

namespace twingrad::program {
namespace {

std::string FloatText(double value) {
  std::string text;
  AppendFloat(value, text);
  return text;
}

TEST(ElementText, FloatsAreIntegersOrHexadecimal) {
  EXPECT_EQ(FloatText(0.0), "0");
  EXPECT_EQ(FloatText(-0.0), "-0");
  EXPECT_EQ(FloatText(-3), "-3");
  EXPECT_EQ(FloatText(1.5), "0x1.8p+0");
  EXPECT_EQ(FloatText(-0.1), "-0x1.999999999999ap-4");
  EXPECT_EQ(FloatText(9007199254740991.0), "9007199254740991");
  EXPECT_EQ(FloatText(9007199254740992.0), "0x1p+53");
  EXPECT_EQ(FloatText(std::numeric_limits<double>::denorm_min()), "0x0.0000000000001p-1022");
  EXPECT_EQ(FloatText(std::numeric_limits<double>::max()), "0x1.fffffffffffffp+1023");
  EXPECT_EQ(FloatText(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(FloatText(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(FloatText(std::nan("")), "nan");
}

TEST(ElementText, ReadsDecimalAndHexadecimal) {
  EXPECT_EQ(ParseFloat("1"), 1.0);
  EXPECT_EQ(ParseFloat("0.1"), 0.1);
  EXPECT_EQ(ParseFloat("-2.5e3"), -2500.0);
  EXPECT_EQ(ParseFloat("0x1.8p+1"), 3.0);
  EXPECT_EQ(ParseFloat("0x1.8p1"), 3.0);
  EXPECT_EQ(ParseFloat("-0x10"), -16.0);
  EXPECT_EQ(ParseFloat("-inf"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::signbit(*ParseFloat("-0")));
  EXPECT_EQ(std::bit_cast<uint64_t>(*ParseFloat("nan")), kNanBits);
  EXPECT_EQ(ParseFloat("12345678901234567890"), 12345678901234567890.0);
}

TEST(ElementText, RefusesWhatIsNoNumber) {
  for (const char* text :
       {"",       "-",         "+1",        "x",        "1x",     "0x",  "0x-1", "0xinf", "0xnan",
        "INF",    "NaN",       "-nan",      "infinity", "nan(1)", "--1", "1e",   "1e400", "-1e400",
        "1e-400", "0x1p+1024", "0x1p-1075", " 1",       "1 ",     "1,2", "_"}) {
    EXPECT_EQ(ParseFloat(text), std::nullopt) << text;
    EXPECT_EQ(ParseFloat(text, kF32Format), std::nullopt) << text;
  }
}

TEST(ElementText, RoundsF32Once) {
  EXPECT_EQ(ParseFloat("0.1", kF32Format), static_cast<double>(0.1f));
  // Rounded to double first it would be a tie, and go down.
  EXPECT_EQ(ParseFloat("0x1.0000010000000001p+0", kF32Format), 1 + 0x1p-23);
  EXPECT_EQ(ParseFloat("3.4028236e38", kF32Format), std::nullopt);
  EXPECT_EQ(ParseFloat("1e-50", kF32Format), std::nullopt);
}

TEST(ElementText, Integers) {
  EXPECT_EQ(ParseInteger("-9223372036854775808"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(ParseInteger("9223372036854775807"), std::numeric_limits<int64_t>::max());
  for (const char* text : {"", "-", "+1", "1.0", "0x1", "9223372036854775808", "1 ", " 1"}) {
    EXPECT_EQ(ParseInteger(text), std::nullopt) << text;
  }
}

TEST(ElementText, Types) {
  EXPECT_EQ(TypeText({DType::kF32, {2, 0}}), "f32[2,0]");
  EXPECT_EQ(TypeText({DType::kBool, {}}), "bool[]");
}

TEST(ElementText, Bools) {
  EXPECT_EQ(ParseElement("0", DType::kBool), 0u);
  EXPECT_EQ(ParseElement("1", DType::kBool), 1u);
  for (const char* text : {"", "2", "-1", "true", "01"}) {
    EXPECT_EQ(ParseElement(text, DType::kBool), std::nullopt) << text;
  }
}

RC_GTEST_PROP(ElementText, EveryDoubleRoundTrips, (uint64_t bits)) {
  if (std::isnan(std::bit_cast<double>(bits))) bits = kNanBits;
  std::string text;
  AppendElement(bits, DType::kF64, text);
  RC_ASSERT(ParseElement(text, DType::kF64) == bits);
}

RC_GTEST_PROP(ElementText, EveryFloatRoundTrips, (uint32_t pattern)) {
  const auto value = static_cast<double>(std::bit_cast<float>(pattern));
  const uint64_t bits = std::isnan(value) ? kNanBits : std::bit_cast<uint64_t>(value);
  std::string text;
  AppendElement(bits, DType::kF32, text);
  RC_ASSERT(ParseElement(text, DType::kF32) == bits);
}

RC_GTEST_PROP(ElementText, EveryIntegerRoundTrips, (int64_t value)) {
  std::string text;
  AppendElement(static_cast<uint64_t>(value), DType::kI64, text);
  RC_ASSERT(ParseElement(text, DType::kI64) == static_cast<uint64_t>(value));
}

}  // namespace
}  // namespace twingrad::program
