// Convolutions as cuDNN takes them: lines become planes, and what it cannot count is not taken.
#include "cuda/kernels/convolution_shape.h"

#include <cstdint>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace twingrad::cuda {
namespace {

using kernels::Boxes;
using kernels::ConvolutionShape;
using ::testing::ElementsAre;

// Of so many samples, in two groups of three channels and of four results.
ConvolutionShape ShapeWith(const Boxes& boxes, int64_t samples) {
  ConvolutionShape shape{boxes, samples, 2, 3, 4};
  for (const Boxes::Axis& axis : boxes.axes) {
    shape.plane *= axis.size;
    shape.entries *= axis.entries;
    shape.windows *= axis.windows;
  }
  return shape;
}

// From the last axis back: size, windows, entries, stride, padding, dilation.
constexpr Boxes::Axis kLine = {7, 4, 2, 2, 1, 2}, kOther = {5, 5, 3, 1, 1, 1};

TEST(ConvolutionShapeTest, LinesArePlanesOfHeightOne) {
  const auto shape = DnnShapeOf(ShapeWith({{{}, {}, kLine}}, 5));
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->rank, 4);
  EXPECT_EQ(shape->groups, 2);
  EXPECT_THAT(shape->wide, ElementsAre(5, 6, 1, 7, 0));
  EXPECT_THAT(shape->weights, ElementsAre(8, 3, 1, 2, 0));
  EXPECT_THAT(shape->narrow, ElementsAre(5, 8, 1, 4, 0));
  EXPECT_THAT(shape->padding, ElementsAre(0, 1, 0));
  EXPECT_THAT(shape->stride, ElementsAre(1, 2, 0));
  EXPECT_THAT(shape->dilation, ElementsAre(1, 2, 0));
  EXPECT_THAT(shape->StridesOf(shape->wide), ElementsAre(42, 7, 7, 1, 0));
}

TEST(ConvolutionShapeTest, OfThreeDimensions) {
  const auto shape = DnnShapeOf(ShapeWith({{kOther, {}, kLine}}, 1));
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->rank, 5);
  EXPECT_THAT(shape->wide, ElementsAre(1, 6, 5, 1, 7));
  EXPECT_THAT(shape->narrow, ElementsAre(1, 8, 5, 1, 4));
  EXPECT_THAT(shape->padding, ElementsAre(1, 0, 1));
  EXPECT_THAT(shape->StridesOf(shape->weights), ElementsAre(18, 6, 2, 2, 1));
}

// A window of one entry that the padding gives neighbours.
TEST(ConvolutionShapeTest, APaddedDimensionIsOne) {
  Boxes::Axis padded;
  padded.windows = 3;
  padded.padding = 1;
  const auto shape = DnnShapeOf(ShapeWith({{padded, {}, kLine}}, 1));
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->rank, 5);
}

TEST(ConvolutionShapeTest, NothingAndTooMuchAreNotTaken) {
  const ConvolutionShape shape = ShapeWith({{{}, {}, kLine}}, 1);
  EXPECT_TRUE(DnnShapeOf(shape));
  const int64_t most = INT32_MAX / (6 * 7);
  for (const auto& [samples, is_taken] :
       {std::pair(int64_t{0}, false), {most, true}, {most + 1, false}, {int64_t{1} << 62, false}}) {
    ConvolutionShape of = shape;
    of.samples = samples;
    EXPECT_EQ(DnnShapeOf(of).has_value(), is_taken) << samples;
  }
  ConvolutionShape far = shape;
  far.boxes.axes[2].stride = int64_t{1} << 31;
  EXPECT_FALSE(DnnShapeOf(far));
}

TEST(ConvolutionShapeTest, IsAKey) {
  const auto a = DnnShapeOf(ShapeWith({{{}, {}, kLine}}, 1)),
             b = DnnShapeOf(ShapeWith({{{}, {}, kLine}}, 2));
  EXPECT_EQ(*a, *a);
  EXPECT_FALSE(*a == *b);
}

}  // namespace
}  // namespace twingrad::cuda
