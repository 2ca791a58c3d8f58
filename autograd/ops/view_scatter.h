// Copies with another tensor in place of a view, differentiable.
//
//   Tensor r = ops::SelectScatter(a, row, /*dim=*/0, /*index=*/1);   // a, with `row` as its row 1
//
// The view is that of view.h with the same arguments, and `part` has its shape, else Error(kShape);
// other errors are the view's. All element types; type and device are the operand's. The result is
// contiguous.

#pragma once

#include <cstdint>

#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

Tensor SelectScatter(const Tensor& a, const Tensor& part, int64_t dim, int64_t index);
Tensor SliceScatter(const Tensor& a, const Tensor& part, int64_t dim, int64_t start, int64_t stop,
                    int64_t step);
Tensor DiagonalScatter(const Tensor& a, const Tensor& part, Ints dims, int64_t by);
// Of any layout: places count in row-major order. Strides that lead to one element twice are
// Error(kInvalidArgument).
Tensor AsStridedScatter(const Tensor& a, const Tensor& part, Ints shape, Ints strides,
                        int64_t start);

}  // namespace twingrad::ops
