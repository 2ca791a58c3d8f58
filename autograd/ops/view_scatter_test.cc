// What takes the place of a view, what keeps its own, and where gradients go.

#include "autograd/ops/view_scatter.h"

#include <gtest/gtest.h>

#include "autograd/base/error.h"
#include "autograd/ops/geometry.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/test_gradients.h"

namespace twingrad::ops {
namespace {

const Tensor kWhole = Leaf({2, 3}, {1, 2, 3, 4, 5, 6});

TEST(ViewScatter, TheEntryGivesWayToThePart) {
  const Tensor part = Leaf({3}, {7, 8, 9});
  const Tensor y = SelectScatter(kWhole, part, 0, 1);
  EXPECT_EQ(Elements(y), (Doubles{1, 2, 3, 7, 8, 9}));
  EXPECT_EQ(Elements(kWhole), (Doubles{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Weighed(y, kWhole), (Doubles{1, 2, 3, 0, 0, 0}));
  EXPECT_EQ(Weighed(y, part), (Doubles{4, 5, 6}));
}

TEST(ViewScatter, TheEntriesOfASliceGiveWay) {
  const Tensor part = Leaf({2, 2}, {7, 8, 9, 10});
  const Tensor y = SliceScatter(kWhole, part, 1, 0, 9, 2);
  EXPECT_EQ(Elements(y), (Doubles{7, 2, 8, 9, 5, 10}));
  EXPECT_EQ(Weighed(y, kWhole), (Doubles{0, 2, 0, 0, 5, 0}));
  EXPECT_EQ(Weighed(y, part), (Doubles{1, 3, 4, 6}));
  EXPECT_EQ(Elements(SliceScatter(kWhole, Leaf({2, 0}, {}), 1, 3, 3, 1)), Elements(kWhole));
}

TEST(ViewScatter, TheDiagonalGivesWay) {
  const Tensor part = Leaf({2}, {7, 8});
  const Tensor y = DiagonalScatter(kWhole, part, {1, 0}, -1);
  EXPECT_EQ(Elements(y), (Doubles{1, 7, 3, 4, 5, 8}));
  EXPECT_EQ(Weighed(y, kWhole), (Doubles{1, 0, 3, 4, 5, 0}));
  EXPECT_EQ(Weighed(y, part), (Doubles{2, 6}));
}

TEST(ViewScatter, PlacesAreCountedInRowMajorOrder) {
  const Tensor part = Leaf({2}, {7, 8});
  const Tensor column = PermuteTo(kWhole, {1, 0});  // 1 4, 2 5, 3 6, not contiguous
  const Tensor y = AsStridedScatter(column, part, {2}, {3}, 1);
  EXPECT_EQ(Elements(y), (Doubles{1, 7, 2, 5, 8, 6}));
  EXPECT_EQ(Weighed(y, kWhole), (Doubles{1, 3, 0, 0, 4, 6}));
  EXPECT_EQ(Weighed(y, part), (Doubles{2, 5}));
}

TEST(ViewScatter, SecondDerivatives) {
  const Tensor part = Leaf({2}, {7, 8});
  const Tensor y = AsStridedScatter(kWhole, part, {2}, {4}, 0);
  const auto first = Derive(Mul(Mul(y, y), y), {kWhole, part}, /*create_graph=*/true);
  EXPECT_EQ(Elements(first[0]), (Doubles{0, 12, 27, 48, 0, 108}));
  EXPECT_EQ(Elements(first[1]), (Doubles{147, 192}));
  EXPECT_EQ(Elements(Derive(first[0], {kWhole})[0]), (Doubles{0, 12, 18, 24, 0, 36}));
  EXPECT_EQ(Elements(Derive(first[1], {part})[0]), (Doubles{42, 48}));
}

TEST(ViewScatter, WhatDoesNotFitIsAnError) {
  const Tensor part = Leaf({2}, {7, 8});
  EXPECT_EQ(ErrorOf([&] { SelectScatter(kWhole, part, 0, 1); }).kind(), ErrorKind::kShape);
  EXPECT_EQ(ErrorOf([&] { SelectScatter(kWhole, part, 1, 3); }).kind(), ErrorKind::kIndex);
  EXPECT_EQ(ErrorOf([&] { SliceScatter(kWhole, part, 0, 0, 9, 0); }).kind(),
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(ErrorOf([&] { AsStridedScatter(kWhole, part, {2}, {0}, 1); }).kind(),
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(ErrorOf([&] {
              DiagonalScatter(kWhole, Tensor(), {0, 1}, 0);
            }).kind(),
            ErrorKind::kUndefined);
}

}  // namespace
}  // namespace twingrad::ops
