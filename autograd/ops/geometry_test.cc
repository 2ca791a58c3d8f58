#include "autograd/ops/geometry.h"

#include <gtest/gtest.h>

#include "autograd/base/error.h"
#include "autograd/ops/test_gradients.h"

namespace twingrad::ops {
namespace {

TEST(Geometry, OfViews) {
  const Tensor a = Values({2, 3}, {1, 2, 3, 4, 5, 6});
  const Geometry reshaped = ReshapedGeometry(a, {3, 2});
  EXPECT_EQ(reshaped.strides, (Shape{2, 1}));
  const Geometry permuted = PermutedGeometry(a, {1, 0});
  EXPECT_EQ(permuted.sizes, (Shape{3, 2}));
  EXPECT_EQ(permuted.strides, (Shape{1, 3}));
  const Geometry expanded = ExpandedGeometry(Values({2, 1}, {1, 2}), {4, 2, 3});
  EXPECT_EQ(expanded.strides, (Shape{0, 1, 0}));
  const Geometry unsqueezed = UnsqueezedGeometry(a, 1);
  EXPECT_EQ(unsqueezed.sizes, (Shape{2, 1, 3}));
  const Geometry squeezed = SqueezedGeometry(Values({1, 2, 1}, {1, 2}), {0, 1});
  EXPECT_EQ(squeezed.sizes, (Shape{2, 1}));
}

TEST(Geometry, OfParts) {
  const Tensor a = Values({2, 3}, {1, 2, 3, 4, 5, 6});
  const Geometry column = PartGeometry(a, SelectedPart(a, 1, 2));
  EXPECT_EQ(column.sizes, (Shape{2}));
  EXPECT_EQ(column.offset, 2);
  const Part every_other = SlicedPart(a, 1, 0, 100, 2);
  EXPECT_EQ(every_other.length, 2);
  EXPECT_EQ(PartGeometry(a, every_other).strides, (Shape{3, 2}));
  const Part nothing = SlicedPart(a, 1, 9, 100, 1);
  EXPECT_EQ(nothing.length, 0);
  EXPECT_EQ(PartGeometry(a, nothing).offset, 0);
}

TEST(Geometry, InversePermutationUndoes) {
  const Shape dims = {2, 0, 1};
  const Shape inverse = InversePermutation(dims);
  for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(inverse[dims[i]], i);
}

TEST(Geometry, Refusals) {
  const Tensor a = Values({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THROW(SlicedPart(a, 0, -1, 2, 1), Error);
  EXPECT_THROW(SlicedPart(a, 0, 0, 2, 0), Error);
  EXPECT_THROW(SlicedPart(a, 2, 0, 2, 1), Error);
  EXPECT_THROW(UnsqueezedGeometry(a, 3), Error);
  EXPECT_THROW(SqueezedGeometry(a, {2}), Error);
  EXPECT_THROW(CheckElementCount("view", a, {5}), Error);
}

}  // namespace
}  // namespace twingrad::ops
