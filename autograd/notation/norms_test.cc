#include "autograd/notation/norms.h"

#include <cmath>
#include <limits>
#include <vector>

#include "autograd/base/test_errors.h"
#include "autograd/notation/elements.h"
#include "autograd/notation/functions.h"
#include "autograd/notation/operators.h"
#include "gtest/gtest.h"

namespace twingrad {
namespace {

using Doubles = std::vector<double>;

Tensor Drawn(Ints sizes, uint64_t seed, DType dtype = DType::kF64) {
  Generator generator(seed);
  return Normal(sizes, 0.5, 1, generator, dtype);
}

void ExpectNear(const Tensor& a, const Doubles& expected, double tolerance = 1e-12) {
  const Doubles elements = Elements(a);
  ASSERT_EQ(elements.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(elements[i], expected[i], tolerance) << "element " << i;
  }
}

TEST(Norms, OfARowHaveMeanZeroAndVarianceOne) {
  const Tensor a = Tensor::FromData<double>({2, 2}, {1, 3, -5, 5});
  ExpectNear(LayerNorm(a, 1, {.epsilon = 0}), {-1, 1, -1, 1});
  ExpectNear(LayerNorm(a, 1, {.epsilon = 24}), {-0.2, 0.2, -5 / 7.0, 5 / 7.0});
  const Tensor weight = Tensor::FromData<double>({2}, {2, 3});
  const Tensor bias = Tensor::FromData<double>({2}, {10, 20});
  ExpectNear(LayerNorm(a, 1, {.weight = weight, .bias = bias, .epsilon = 0}), {8, 23, 8, 23});
  ExpectNear(LayerNorm(Tensor::FromData<double>({2, 2}, {1, 1, 3, 3}), 2, {.epsilon = 0}),
             {-1, -1, 1, 1});
}

TEST(Norms, OfGroupsOfChannels) {
  const Tensor a = Tensor::FromData<double>({1, 4, 1}, {1, 3, -5, 5});
  ExpectNear(GroupNorm(a, 2, {.epsilon = 0}), {-1, 1, -1, 1});
  const Tensor weight = Tensor::FromData<double>({4}, {1, 2, 3, 4});
  ExpectNear(GroupNorm(a, 2, {.weight = weight, .epsilon = 0}), {-1, 2, -3, 4});
  EXPECT_EQ(GroupNorm(Tensor::Zeros({0, 2, 3}, DType::kF64), 2).sizes(), Ints({0, 2, 3}));
}

TEST(Norms, OfABatchRememberItsMoments) {
  RunningMoments moments{.momentum = 0.5};
  const Tensor a = Tensor::FromData<double>({2, 2, 1}, {1, 10, 3, 30});
  ExpectNear(BatchNorm(a, moments, /*training=*/true, {.epsilon = 0}), {-1, -1, 1, 1});
  ExpectNear(moments.mean, {2, 20});
  ExpectNear(moments.variance, {2, 200});  // unbiased
  BatchNorm(a + 2, moments, true);
  ExpectNear(moments.mean, {3, 21});
  const Tensor b = Tensor::FromData<double>({1, 2}, {5, 21});
  ExpectNear(BatchNorm(b, moments, /*training=*/false, {.epsilon = 2}), {1, 0});
  ExpectNear(moments.mean, {3, 21});
}

TEST(Norms, Refusals) {
  RunningMoments moments;
  const Tensor a = Drawn({2, 3, 2}, 1);
  EXPECT_EQ(KindOf([&] { LayerNorm(a, 4); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { GroupNorm(a, 2); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { GroupNorm(Drawn({3}, 1), 1); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { BatchNorm(a, moments, false); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { BatchNorm(Drawn({1, 3}, 1), moments, true); }), ErrorKind::kShape);
}

TEST(Dropout, KeepsTheMeanAndComesFromTheGenerator) {
  Generator first(5), second(5);
  const Tensor ones = Tensor::Ones({4000}, DType::kF32);
  const Doubles kept = Elements(Dropout(ones, 0.25, first));
  EXPECT_EQ(kept, Elements(Dropout(ones, 0.25, second)));
  int zeros = 0;
  for (const double x : kept) {
    zeros += x == 0;
    if (x == 0) continue;
    EXPECT_FLOAT_EQ(static_cast<float>(x), 4.0f / 3);
  }
  EXPECT_NEAR(zeros, 1000, 150);  // more than five deviations
  EXPECT_EQ(Elements(Dropout(ones, 0, first)), Elements(ones));
  EXPECT_EQ(KindOf([&] { Dropout(ones, 1, first); }), ErrorKind::kInvalidArgument);
}

TEST(Attention, IsAMeanOfWhatTheQuerySees) {
  const Tensor q = Tensor::Zeros({2, 1}, DType::kF64);  // to which all keys are alike
  const Tensor k = Tensor::FromData<double>({2, 1}, {1, 2});
  const Tensor v = Tensor::FromData<double>({2, 2}, {1, 10, 3, 30});
  ExpectNear(ScaledDotProductAttention(q, k, v), {2, 20, 2, 20});
  ExpectNear(ScaledDotProductAttention(q, k, v, {.causal = true}), {1, 10, 2, 20});
  const Tensor mask = Tensor::FromData<bool>({1, 2}, {false, true});
  ExpectNear(ScaledDotProductAttention(q, k, v, {.mask = mask}), {3, 30, 3, 30});
  // e^(1·2/√1) for the second key, 1 for the first
  const Tensor one = Tensor::Ones({1, 1}, DType::kF64),
               keys = Tensor::FromData<double>({2, 1}, {0, 2});
  const double share = 1 / (1 + std::exp(-2));
  ExpectNear(ScaledDotProductAttention(one, keys, v), {1 + 2 * share, 10 + 20 * share});
}

}  // namespace
}  // namespace twingrad
