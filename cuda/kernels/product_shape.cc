#include "cuda/kernels/product_shape.h"

#include <algorithm>

namespace twingrad::cuda {
namespace {

// Of rows * columns elements; a step along a dimension of one element leads nowhere.
std::optional<Layout> LayoutOf(int64_t rows, int64_t columns, int64_t row_step,
                               int64_t column_step) {
  if (column_step == 1 || columns == 1) {
    const int64_t distance = rows == 1 ? columns : row_step;
    if (distance >= columns) return Layout{false, distance, 0};
  }
  if (row_step == 1 || rows == 1) {
    const int64_t distance = columns == 1 ? rows : column_step;
    if (distance >= rows) return Layout{true, distance, 0};
  }
  return std::nullopt;
}

}  // namespace

std::optional<ProductShape> ProductShapeOf(const kernels::OffsetWalk<2>& walk, int64_t inner,
                                           int64_t a_step, int64_t b_step) {
  if (inner == 0 || std::find(walk.sizes, walk.sizes + walk.rank, 0) != walk.sizes + walk.rank) {
    return std::nullopt;
  }
  ProductShape shape;
  shape.inner = inner;
  int64_t row_step = 0, column_step = 0;
  int left = walk.rank;
  // Along the columns the left operand stays where it is, along the rows the right one. A batch of
  // single rows or columns that lies so is one matrix as well.
  if (left > 0 && walk.strides[0][left - 1] == 0) {
    --left;
    shape.columns = walk.sizes[left];
    column_step = walk.strides[1][left];
  }
  if (left > 0 && walk.strides[1][left - 1] == 0) {
    --left;
    shape.rows = walk.sizes[left];
    row_step = walk.strides[0][left];
  }
  if (left > 1) return std::nullopt;
  const auto a = LayoutOf(shape.rows, inner, row_step, a_step);
  const auto b = LayoutOf(inner, shape.columns, b_step, column_step);
  if (!a || !b) return std::nullopt;
  shape.a = *a;
  shape.b = *b;
  if (left == 1) {
    shape.batch = walk.sizes[0];
    shape.a.batch_step = walk.strides[0][0];
    shape.b.batch_step = walk.strides[1][0];
  }
  return shape;
}

}  // namespace twingrad::cuda
