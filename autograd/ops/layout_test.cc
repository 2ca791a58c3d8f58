#include "autograd/ops/layout.h"

#include <gtest/gtest.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/broadcast.h"
#include "autograd/ops/test_gradients.h"
#include "autograd/tensor/kernels/copy.h"

namespace twingrad::ops {
namespace {

TEST(Layout, MovesElements) {
  const Tensor a = Values({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Elements(PermuteTo(a, {1, 0})), (Doubles{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(Elements(ReshapeTo(PermuteTo(a, {1, 0}), {6})), (Doubles{1, 4, 2, 5, 3, 6}));
  const Part column = SelectedPart(a, 1, 1);
  EXPECT_EQ(Elements(TakePart(a, column)), (Doubles{2, 5}));
  EXPECT_EQ(Elements(EmbedPart(TakePart(a, column), column)), (Doubles{0, 2, 0, 0, 5, 0}));
}

TEST(Layout, WhatRecursIsAddedUpInNarrowTypesToo) {
  const auto thrice = [](const Tensor& whole) { return StridedGeometry(whole, {3}, {0}, 1); };
  for (const DType dtype : {DType::kF64, DType::kF32, DType::kF16, DType::kBF16}) {
    const Tensor part = kernels::Cast(Values({3}, {1, 2, 4}), dtype);
    const Tensor whole = EmbedPlaces(part, Shape{2}, thrice);
    EXPECT_EQ(whole.dtype(), dtype);
    EXPECT_EQ(Elements(kernels::Cast(whole, DType::kF64)), (Doubles{0, 7}));
  }
}

// Each function is derived twice: its derivative is itself made of these functions.
TEST(Layout, DerivativesOfAnyOrder) {
  const Tensor a = Leaf({2, 3}, {1, 2, 3, 4, 5, 6});
  const Part rows = SlicedPart(a, 0, 1, 2, 1);
  const auto cube = [](const Tensor& x) { return Mul(Mul(x, x), x); };
  for (const Tensor& y : {ReshapeTo(a, {3, 2}), PermuteTo(a, {1, 0}), TransposeLast(a),
                          TakePart(a, rows), TakePart(EmbedPart(TakePart(a, rows), rows), rows),
                          SumTo(ExpandTo(a, {1, 2, 3}), {2, 3})}) {
    const Tensor first = Derive(cube(y), {a}, true)[0];
    const Doubles second = Elements(Derive(first, {a})[0]);
    for (int i = 0; i < 6; ++i) {
      const bool seen = y.numel() == 6 || i >= 3;
      EXPECT_EQ(Elements(first)[i], seen ? 3 * (i + 1) * (i + 1) : 0);
      EXPECT_EQ(second[i], seen ? 6 * (i + 1) : 0);
    }
  }
}

}  // namespace
}  // namespace twingrad::ops
