#include "autograd/reference/group_primitives.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class GroupPrimitivesTest : public testing::Test {
 protected:
  Array* Floats(const std::vector<double>& elements) {
    Array* array = NewArray(arena_, DType::kF64, &four_, 4);
    std::copy(elements.begin(), elements.end(), array->v);
    return array;
  }
  std::vector<double> Run(Primitive primitive, const std::vector<double>& elements) {
    const Array* result = EvaluateGroups(arena_, primitive, Floats(elements), pairs_);
    return {result->v, result->v + result->size};
  }

  using Doubles = std::vector<double>;
  static constexpr int32_t kPairs[] = {0, 0, 1, 1};
  Arena arena_;
  const Shape four_ = Shape({4}), two_ = Shape({2});
  PrimitiveArguments pairs_ = [this] {
    PrimitiveArguments arguments;
    arguments.map = {kPairs, 4};
    arguments.shape = &two_;
    return arguments;
  }();
  bool tie_ = false;
};

TEST_F(GroupPrimitivesTest, Extremes) {
  EXPECT_EQ(Run(Primitive::kExtreme, {1, 2, -3, -4}), (Doubles{2, -3}));
  pairs_.least = true;
  EXPECT_EQ(Run(Primitive::kExtreme, {1, 2, -3, -4}), (Doubles{1, -4}));
  EXPECT_TRUE(std::isnan(Run(Primitive::kExtreme, {1, kNan, 0, 0})[0]));
}

TEST_F(GroupPrimitivesTest, SharesOfExtremes) {
  const Array* weights = ExtremeWeight(arena_, Floats({2, 2, 1, 3}), pairs_, &tie_);
  EXPECT_EQ(Doubles(weights->v, weights->v + 4), (Doubles{0.5, 0.5, 0, 1}));
  EXPECT_EQ(weights->Error(0), 0);
  EXPECT_TRUE(tie_);
  Array* near = Floats({2, 2.0000001, 1, 3});
  near->e = arena_.Allocate<double>(4);
  std::fill(near->e, near->e + 4, 1e-6);
  const Array* open = ExtremeWeight(arena_, near, pairs_, &tie_);
  EXPECT_EQ(open->Error(0), kUnknown);
  EXPECT_EQ(open->Error(1), kUnknown);
  EXPECT_EQ(open->Error(3), 0);
}

TEST_F(GroupPrimitivesTest, SoftmaxDoesNotOverflow) {
  EXPECT_EQ(Run(Primitive::kSoftmax, {1000, 1000, 0, -kInfinity}), (Doubles{0.5, 0.5, 1, 0}));
  const Doubles logs = Run(Primitive::kLogSoftmax, {1000, 1000, 0, -kInfinity});
  EXPECT_DOUBLE_EQ(logs[0], -std::log(2));
  EXPECT_EQ(logs[2], 0);
  EXPECT_EQ(logs[3], -kInfinity);
}

TEST_F(GroupPrimitivesTest, LogSumExp) {
  const Doubles sums = Run(Primitive::kLogSumExp, {1000, 1000, -kInfinity, -kInfinity});
  EXPECT_DOUBLE_EQ(sums[0], 1000 + std::log(2));
  EXPECT_EQ(sums[1], -kInfinity);
  EXPECT_EQ(Run(Primitive::kLogSumExp, {kInfinity, 0, 0, kNan})[0], kInfinity);
  EXPECT_TRUE(std::isnan(Run(Primitive::kLogSumExp, {0, 0, 0, kNan})[1]));
}

TEST_F(GroupPrimitivesTest, ClampIsFlatAtItsLimits) {
  PrimitiveArguments limits;
  limits.low = 0;
  limits.high = 1;
  bool kink = false;
  const Array* weights = ClampWeight(arena_, Floats({-1, 0.5, 0.25, 2}), limits, &kink);
  EXPECT_EQ(Doubles(weights->v, weights->v + 4), (Doubles{0, 1, 1, 0}));
  EXPECT_FALSE(kink);
  const Array* edges = ClampWeight(arena_, Floats({0, 1, kNan, 0}), limits, &kink);
  EXPECT_EQ(Doubles(edges->v, edges->v + 2), (Doubles{0, 0}));
  EXPECT_EQ(edges->Error(2), kUnknown);
  EXPECT_TRUE(kink);
}

}  // namespace
}  // namespace twingrad::reference
