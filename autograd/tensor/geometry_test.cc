// Contiguity and overlap of strides.

#include "autograd/tensor/geometry.h"

#include <gtest/gtest.h>

namespace twingrad {
namespace {

TEST(GeometryTest, ContiguityIgnoresSizesOfOneAndEmptyTensors) {
  EXPECT_TRUE(IsContiguousGeometry({1, 3}, {99, 1}));
  EXPECT_FALSE(IsContiguousGeometry({2, 3}, {99, 1}));
  EXPECT_TRUE(IsContiguousGeometry({2, 0}, {99, 5}));
  EXPECT_TRUE(IsContiguousGeometry({}, {}));
}

TEST(GeometryTest, OverlapIsSeen) {
  EXPECT_TRUE(HasInternalOverlap({2, 3}, {0, 1}));
  EXPECT_TRUE(HasInternalOverlap({3, 3}, {1, 1}));
  EXPECT_FALSE(HasInternalOverlap({3, 2}, {1, 3}));
  EXPECT_FALSE(HasInternalOverlap({1, 2}, {0, 1}));
  EXPECT_FALSE(HasInternalOverlap({0, 2}, {0, 0}));
  // Dimensions that interleave: 0 2 4 and 3 5 7; 0 2 4 and 4 6 8.
  EXPECT_FALSE(HasInternalOverlap({2, 3}, {3, 2}));
  EXPECT_TRUE(HasInternalOverlap({2, 3}, {4, 2}));
}

}  // namespace
}  // namespace twingrad
