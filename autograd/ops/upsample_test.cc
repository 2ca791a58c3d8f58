// Planes of other sizes against weights by hand, with their gradients and what is refused.

#include "autograd/ops/upsample.h"

#include <gtest/gtest.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/test_gradients.h"

namespace twingrad::ops {
namespace {

TEST(Upsample, Nearest) {
  const Tensor a = Leaf({1, 2}, {1, 2});
  EXPECT_EQ(Elements(UpsampleNearest<1>(a, {5})), (Doubles{1, 1, 1, 2, 2}));
  EXPECT_EQ(Weighed(UpsampleNearest<1>(a, {5}), a), (Doubles{6, 9}));
  EXPECT_EQ(Elements(UpsampleNearest<2>(Leaf({1, 2, 2}, {1, 2, 3, 4}), {1, 4})),
            (Doubles{1, 1, 2, 2}));
  EXPECT_EQ(Elements(UpsampleNearest<3>(Leaf({1, 1, 1, 2}, {1, 2}), {2, 1, 2})),
            (Doubles{1, 2, 1, 2}));
}

TEST(Upsample, Linear) {
  const Tensor a = Leaf({1, 2}, {0, 8});
  EXPECT_EQ(Elements(UpsampleLinear<1>(a, {4}, false)), (Doubles{0, 2, 6, 8}));
  EXPECT_EQ(Elements(UpsampleLinear<1>(a, {5}, true)), (Doubles{0, 2, 4, 6, 8}));
  EXPECT_EQ(Weighed(UpsampleLinear<1>(a, {4}, false), a),
            (Doubles{1 + 2 * 0.75 + 3 * 0.25, 2 * 0.25 + 3 * 0.75 + 4}));
  const Tensor plane = Leaf({1, 2, 2}, {0, 8, 16, 24});
  EXPECT_EQ(Elements(UpsampleLinear<2>(plane, {3, 2}, true)), (Doubles{0, 8, 8, 16, 16, 24}));
  EXPECT_EQ(Elements(UpsampleLinear<3>(Leaf({1, 1, 2, 2}, {0, 8, 16, 24}), {1, 1, 1}, false)),
            (Doubles{12}));
}

TEST(Upsample, Bicubic) {
  const Tensor a = Leaf({1, 1, 3}, {0, 32, 64});
  EXPECT_EQ(Elements(UpsampleBicubic(a, {1, 5}, true)), (Doubles{0, 13, 32, 51, 64}));
  EXPECT_EQ(Weighed(UpsampleBicubic(a, {1, 2}, true), a), (Doubles{1, 0, 2}));
}

TEST(Upsample, DerivativesOfHigherOrder) {
  const auto cube = [](const Tensor& t) { return Mul(Mul(t, t), t); };
  const Tensor a = Leaf({1, 1}, {3}), b = Leaf({1, 1, 1}, {3});
  EXPECT_EQ(Derivative(cube(UpsampleNearest<1>(a, {1})), a, 2), 18);
  EXPECT_EQ(Derivative(cube(UpsampleLinear<1>(a, {1}, false)), a, 3), 6);
  EXPECT_EQ(Derivative(cube(UpsampleBicubic(b, {1, 1}, false)), b, 2), 18);
}

TEST(Upsample, RefusesWhatDoesNotFit) {
  const Tensor a = Leaf({1, 2}, {1, 2});
  EXPECT_EQ(KindOf([&] { UpsampleNearest<1>(a, {0}); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { UpsampleLinear<1>(a, {1, 1}, false); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { UpsampleBicubic(a, {1, 1}, false); }), ErrorKind::kShape);
}

}  // namespace
}  // namespace twingrad::ops
