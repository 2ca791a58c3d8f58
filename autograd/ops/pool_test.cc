// Pools against what they are by hand: strides, padding, ties, portions, derivatives up to the
// third, and what is refused.

#include "autograd/ops/pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/test_gradients.h"

namespace twingrad::ops {
namespace {

TEST(Pool, Average) {
  const Tensor a = Leaf({1, 4}, {1, 2, 3, 4});
  EXPECT_EQ(Elements(AvgPool<1>(a, {2}, {}, {})), (Doubles{1.5, 3.5}));
  EXPECT_EQ(Elements(AvgPool<1>(a, {2}, {1}, {})), (Doubles{1.5, 2.5, 3.5}));
  EXPECT_EQ(Elements(AvgPool<1>(a, {2}, {2}, {1})), (Doubles{0.5, 2.5, 2}));
  EXPECT_EQ(Weighed(AvgPool<1>(a, {2}, {1}, {}), a), (Doubles{0.5, 1.5, 2.5, 1.5}));
  const Tensor plane = Leaf({1, 2, 2}, {1, 2, 3, 6});
  EXPECT_EQ(Elements(AvgPool<2>(plane, {2, 2}, {}, {})), (Doubles{3}));
  EXPECT_EQ(Elements(AvgPool<3>(Leaf({1, 1, 2, 2}, {1, 2, 3, 6}), {1, 2, 1}, {}, {})),
            (Doubles{2, 4}));
}

std::vector<int64_t> IndicesOf(const Tensor& t) {
  return {t.data<int64_t>(), t.data<int64_t>() + t.numel()};
}

TEST(Pool, Greatest) {
  using Indices = std::vector<int64_t>;
  const Tensor a = Leaf({1, 4}, {3, 1, 3, 4});
  EXPECT_EQ(Elements(MaxPool<1>(a, {3}, {1}, {})), (Doubles{3, 4}));
  EXPECT_EQ(IndicesOf(MaxPoolIndices<1>(a, {3}, {1}, {})), (Indices{0, 3}));
  EXPECT_EQ(Weighed(MaxPool<1>(a, {3}, {1}, {}), a), (Doubles{1, 0, 0, 2}));
  // The padding is not seen, even where all is below 0.
  const Tensor below = Leaf({2, 2}, {-1, -2, -4, -3});
  EXPECT_EQ(Elements(MaxPool<1>(below, {2}, {1}, {1})), (Doubles{-1, -1, -2, -4, -3, -3}));
  EXPECT_EQ(IndicesOf(MaxPoolIndices<1>(below, {2}, {1}, {1})), (Indices{0, 0, 1, 0, 1, 1}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor holes = Leaf({1, 2, 2}, {1, nan, 2, nan});
  EXPECT_EQ(IndicesOf(MaxPoolIndices<2>(holes, {2, 2}, {}, {})), (Indices{1}));
  EXPECT_EQ(IndicesOf(MaxPoolIndices<3>(Leaf({1, 2, 1, 2}, {1, 2, 4, 3}), {2, 1, 2}, {}, {})),
            (Indices{2}));
}

TEST(Pool, AdaptivePools) {
  using Indices = std::vector<int64_t>;
  const Tensor a = Leaf({1, 5}, {1, 2, 6, 4, 9});
  EXPECT_EQ(Elements(AdaptiveAvgPool<1>(a, {3})), (Doubles{1.5, 4, 6.5}));
  EXPECT_EQ(Weighed(AdaptiveAvgPool<1>(a, {3}), a),
            (Doubles{0.5, 0.5 + 2.0 / 3, 2.0 / 3, 2.0 / 3 + 1.5, 1.5}));
  EXPECT_EQ(Elements(AdaptiveMaxPool<1>(a, {3})), (Doubles{2, 6, 9}));
  EXPECT_EQ(IndicesOf(AdaptiveMaxPoolIndices<1>(a, {3})), (Indices{1, 2, 4}));
  EXPECT_EQ(Weighed(AdaptiveMaxPool<1>(a, {3}), a), (Doubles{0, 1, 2, 0, 3}));
  const Tensor plane = Leaf({1, 2, 2}, {1, 2, 3, 6});
  EXPECT_EQ(Elements(AdaptiveAvgPool<2>(plane, {1, 1})), (Doubles{3}));
  EXPECT_EQ(IndicesOf(AdaptiveMaxPoolIndices<2>(plane, {1, 2})), (Indices{2, 3}));
  EXPECT_EQ(Elements(AdaptiveMaxPool<3>(Leaf({1, 1, 2, 2}, {1, 2, 3, 6}), {1, 2, 1})),
            (Doubles{2, 6}));
}

TEST(Pool, DerivativesOfHigherOrder) {
  const auto cube = [](const Tensor& t) { return Mul(Mul(t, t), t); };
  const Tensor a = Leaf({1, 1}, {3});
  EXPECT_EQ(Derivative(cube(AvgPool<1>(a, {1}, {}, {})), a, 2), 18);
  EXPECT_EQ(Derivative(cube(MaxPool<1>(a, {1}, {}, {})), a, 3), 6);
  EXPECT_EQ(Derivative(cube(AdaptiveAvgPool<1>(a, {1})), a, 2), 18);
  EXPECT_EQ(Derivative(cube(AdaptiveMaxPool<1>(a, {1})), a, 3), 6);
}

TEST(Pool, RefusesWhatDoesNotFit) {
  const Tensor a = Leaf({1, 4}, {3, 1, 3, 4});
  EXPECT_EQ(KindOf([&] { MaxPool<1>(a, {5}, {}, {}); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { AvgPool<1>(a, {2}, {}, {2}); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { AvgPool<1>(a, {1, 1}, {}, {}); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { AdaptiveAvgPool<1>(a, {0}); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { AdaptiveMaxPool<2>(a, {1, 1}); }), ErrorKind::kShape);
}

}  // namespace
}  // namespace twingrad::ops
