// Products of every geometry, as matrices: what the shape says is what the walk says.
#include "cuda/kernels/product_shape.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "gtest/gtest.h"

namespace twingrad::cuda {
namespace {

using kernels::OffsetWalk;

struct Dim {
  int64_t size, a_step, b_step;
};

OffsetWalk<2> Walk(const std::vector<Dim>& dims) {
  OffsetWalk<2> walk;
  for (const Dim& dim : dims) {
    walk.sizes[walk.rank] = dim.size;
    walk.strides[0][walk.rank] = dim.a_step;
    walk.strides[1][walk.rank] = dim.b_step;
    walk.count *= dim.size;
    ++walk.rank;
  }
  return walk;
}

int64_t PlaceIn(const Layout& m, int64_t p, int64_t row, int64_t column) {
  return p * m.batch_step +
         (m.is_transposed ? row + column * m.distance : row * m.distance + column);
}

// Every term of every element lies where the walk has it.
void ExpectSame(const OffsetWalk<2>& walk, int64_t inner, int64_t a_step, int64_t b_step) {
  const std::optional<ProductShape> shape = ProductShapeOf(walk, inner, a_step, b_step);
  ASSERT_TRUE(shape.has_value());
  ASSERT_EQ(shape->batch * shape->rows * shape->columns, walk.count);
  ASSERT_EQ(shape->inner, inner);
  for (int64_t i = 0; i < walk.count; ++i) {
    const int64_t column = i % shape->columns, row = i / shape->columns % shape->rows;
    const int64_t p = i / shape->columns / shape->rows;
    const auto at = walk.At(i);
    for (int64_t k = 0; k < inner; ++k) {
      ASSERT_EQ(PlaceIn(shape->a, p, row, k), at.offset[0] + k * a_step) << i << " " << k;
      ASSERT_EQ(PlaceIn(shape->b, p, k, column), at.offset[1] + k * b_step) << i << " " << k;
    }
  }
  EXPECT_GE(shape->a.distance, shape->a.is_transposed ? shape->rows : inner);
  EXPECT_GE(shape->b.distance, shape->b.is_transposed ? inner : shape->columns);
}

TEST(ProductShapeTest, MatricesAndTheirTransposes) {
  for (const bool turns_a : {false, true}) {
    for (const bool turns_b : {false, true}) {
      ExpectSame(Walk({{3, turns_a ? 1 : 5, 0}, {4, 0, turns_b ? 5 : 1}}), 5, turns_a ? 3 : 1,
                 turns_b ? 1 : 4);
    }
  }
}

TEST(ProductShapeTest, RowsApart) { ExpectSame(Walk({{3, 9, 0}, {4, 0, 1}}), 5, 1, 7); }

TEST(ProductShapeTest, VectorsAndSingleElements) {
  ExpectSame(Walk({{4, 0, 1}}), 5, 1, 4);  // a row on the left
  ExpectSame(Walk({{3, 5, 0}}), 5, 1, 1);  // a column on the right
  ExpectSame(Walk({}), 5, 1, 1);
  ExpectSame(Walk({}), 1, 0, 0);
  ExpectSame(Walk({{3, 1, 0}, {4, 0, 1}}), 1, 0, 0);  // of a column and a row
}

TEST(ProductShapeTest, Batches) {
  ExpectSame(Walk({{2, 15, 20}, {3, 5, 0}, {4, 0, 1}}), 5, 1, 4);
  ExpectSame(Walk({{2, 0, 20}, {3, 5, 0}, {4, 0, 1}}), 5, 1, 4);  // one matrix for all
  ExpectSame(Walk({{6, 5, 0}, {4, 0, 1}}), 5, 1, 4);              // rows of all of the batch
  ExpectSame(Walk({{2, 5, 20}, {4, 0, 1}}), 5, 1, 4);             // of single rows
  ExpectSame(Walk({{2, 15, 5}, {3, 5, 0}}), 5, 1, 1);             // of single columns
  ExpectSame(Walk({{2, 5, 5}}), 5, 1, 1);                         // of both
}

TEST(ProductShapeTest, WhatLiesOtherwiseIsNone) {
  EXPECT_FALSE(ProductShapeOf(Walk({{3, 10, 0}, {4, 0, 1}}), 5, 2, 4));  // no neighbours
  EXPECT_FALSE(ProductShapeOf(Walk({{3, 2, 0}, {4, 0, 1}}), 5, 1, 4));   // rows overlap
  EXPECT_FALSE(ProductShapeOf(Walk({{3, 0, 0}, {4, 0, 1}}), 5, 1, 4));   // a repeated row
  EXPECT_FALSE(ProductShapeOf(Walk({{2, 60, 9}, {2, 15, 20}, {3, 5, 0}, {4, 0, 1}}), 5, 1, 4));
}

TEST(ProductShapeTest, NothingIsNone) {
  EXPECT_FALSE(ProductShapeOf(Walk({{3, 0, 0}, {4, 0, 1}}), 0, 1, 4));
  EXPECT_FALSE(ProductShapeOf(Walk({{0, 5, 0}, {4, 0, 1}}), 5, 1, 4));
}

}  // namespace
}  // namespace twingrad::cuda
