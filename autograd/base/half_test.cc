#include "autograd/base/half.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>

#include "autograd/base/float_format.h"
#include "gtest/gtest.h"

namespace twingrad {
namespace {

template <class T>
class HalfTest : public testing::Test {
 public:
  static constexpr FloatFormat kFormat =
      FormatOf(std::is_same_v<T, Half> ? DType::kF16 : DType::kBF16);

  static void ExpectRounded(double x, T rounded) {
    const double expected = Rounded(x, kFormat);
    const double value = static_cast<float>(rounded);
    EXPECT_EQ(std::isnan(value), std::isnan(x)) << x;
    if (std::isnan(x)) return;
    EXPECT_EQ(value, expected) << std::hexfloat << x;
    EXPECT_EQ(std::signbit(value), std::signbit(x)) << std::hexfloat << x;
  }
};

using Types = testing::Types<Half, BFloat16>;
TYPED_TEST_SUITE(HalfTest, Types);

TYPED_TEST(HalfTest, EveryPatternComesBackFromItsFloat) {
  for (uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
    TypeParam x;
    x.bits = static_cast<uint16_t>(pattern);
    const float value = x;
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(TypeParam(value)))) << pattern;
    } else {
      EXPECT_EQ(TypeParam(value).bits, x.bits) << pattern;
      EXPECT_TRUE(IsRepresentable(value, TestFixture::kFormat)) << pattern;
    }
  }
}

// Between each number and the next: the middle, what is beside it, and the ends.
TYPED_TEST(HalfTest, RoundsToNearestAndTiesToEven) {
  for (uint32_t pattern = 0; pattern < 0xffff; ++pattern) {
    TypeParam x, next;
    x.bits = static_cast<uint16_t>(pattern);
    next.bits = static_cast<uint16_t>(pattern + 1);
    const double low = static_cast<float>(x), high = static_cast<float>(next);
    if (!std::isfinite(low) || std::isnan(high)) continue;
    const double beyond = std::copysign(std::ldexp(1, 2 - TestFixture::kFormat.min_exponent), low);
    const double middle = (low + (std::isinf(high) ? beyond : high)) / 2;
    for (const double number :
         {middle, std::nextafter(middle, low), std::nextafter(middle, high)}) {
      TestFixture::ExpectRounded(number, TypeParam::Of(number));
      TestFixture::ExpectRounded(static_cast<float>(number), TypeParam(static_cast<float>(number)));
    }
  }
}

TYPED_TEST(HalfTest, RoundsOnceFromAnyNumber) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1'000'000; ++i) {
    const double number = std::bit_cast<double>(random());
    TestFixture::ExpectRounded(number, TypeParam::Of(number));
    const float single = std::bit_cast<float>(static_cast<uint32_t>(random()));
    TestFixture::ExpectRounded(single, TypeParam::Of(single));
  }
  for (const double number : {0.0, -0.0, HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    TestFixture::ExpectRounded(number, TypeParam::Of(number));
  }
}

TYPED_TEST(HalfTest, RoundsOnceFromIntegers) {
  // What a double cannot hold lies beside a tie.
  const int64_t tie = (int64_t{1} << 62) + (int64_t{1} << (62 - TestFixture::kFormat.precision));
  if constexpr (std::is_same_v<TypeParam, BFloat16>) {
    EXPECT_EQ(static_cast<float>(TypeParam::Of(tie)), 0x1p62f);
    EXPECT_EQ(static_cast<float>(TypeParam::Of(tie + 1)), 0x1.02p62f);
    EXPECT_EQ(static_cast<float>(TypeParam::Of(-tie - 1)), -0x1.02p62f);
  }
  const float least = TypeParam::Of(std::numeric_limits<int64_t>::min());
  EXPECT_EQ(least, (std::is_same_v<TypeParam, Half> ? -HUGE_VALF : -0x1p63f));
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const int64_t number = static_cast<int64_t>(random()) >> (11 + random() % 53);  // 53 bits
    TestFixture::ExpectRounded(static_cast<double>(number), TypeParam::Of(number));
  }
}

}  // namespace
}  // namespace twingrad
