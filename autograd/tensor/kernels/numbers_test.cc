#include "autograd/tensor/kernels/numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "autograd/tensor/kernels/test_values.h"

namespace twingrad::kernels {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr double kInf = std::numeric_limits<double>::infinity();

// Rules: R1.
TEST(Numbers, IntegersWrap) {
  EXPECT_EQ(AddNumber::Of(kMax, int64_t{1}), kMin);
  EXPECT_EQ(SubNumber::Of(kMin, int64_t{1}), kMax);
  EXPECT_EQ(MulNumber::Of(kMax, int64_t{2}), -2);
  EXPECT_EQ(NegNumber::Of(kMin), kMin);
  EXPECT_EQ(AbsNumber::Of(kMin), kMin);
}

TEST(Numbers, IntegerPowSquaresAndWraps) {
  EXPECT_EQ(PowNumber::Of(int64_t{3}, int64_t{4}), 81);
  EXPECT_EQ(PowNumber::Of(int64_t{0}, int64_t{0}), 1);
  EXPECT_EQ(PowNumber::Of(int64_t{-2}, int64_t{63}), kMin);
  EXPECT_EQ(PowNumber::Of(int64_t{2}, int64_t{64}), 0);
  EXPECT_EQ(PowNumber::Of(int64_t{-1}, kMax), -1);
}

// Rules: R2.
TEST(Numbers, FloatToIntegerSaturates) {
  EXPECT_EQ((CastNumber<int64_t>(kNan)), 0);
  EXPECT_EQ((CastNumber<int64_t>(kInf)), kMax);
  EXPECT_EQ((CastNumber<int64_t>(-kInf)), kMin);
  EXPECT_EQ((CastNumber<int64_t>(9223372036854775808.0)), kMax);
  EXPECT_EQ((CastNumber<int64_t>(-9223372036854775808.0)), kMin);
  EXPECT_EQ((CastNumber<int64_t>(1e30f)), kMax);
  EXPECT_EQ((CastNumber<int64_t>(-2.9)), -2);
}

// Rules: R2.
TEST(Numbers, AnythingButZeroIsTrue) {
  EXPECT_TRUE(CastNumber<bool>(kNan));
  EXPECT_TRUE(CastNumber<bool>(0.25));
  EXPECT_FALSE(CastNumber<bool>(-0.0));
  EXPECT_EQ(CastNumber<int64_t>(true), 1);
}

// Rules: R9.
TEST(Numbers, NanPassesThroughMaximumReluAndAbs) {
  EXPECT_TRUE(std::isnan(MaximumNumber::Of(kNan, 1.0)));
  EXPECT_TRUE(std::isnan(MaximumNumber::Of(1.0, kNan)));
  EXPECT_TRUE(std::isnan(ReluNumber::Of(kNan)));
  EXPECT_TRUE(std::isnan(AbsNumber::Of(kNan)));
  EXPECT_EQ(SgnNumber::Of(kNan), 0.0);
  EXPECT_EQ(ReluNumber::Of(-3.0), 0.0);
}

TEST(Numbers, SigmoidAtTheEnds) {
  EXPECT_EQ(SigmoidNumber::Of(0.0), 0.5);
  EXPECT_EQ(SigmoidNumber::Of(-1e6), 0.0);
  EXPECT_EQ(SigmoidNumber::Of(1e6), 1.0);
}

}  // namespace
}  // namespace twingrad::kernels
