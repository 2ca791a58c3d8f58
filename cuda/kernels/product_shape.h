// ProductShape: the products of matrices that a walk of MatmulBody describes, as BLAS takes them.
//
//   const auto shape = ProductShapeOf(body.walk, body.inner, body.a_step, body.b_step);
//   // nullopt: they lie otherwise, or there are none
//
// Pure, any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "autograd/tensor/kernels/offset_walk.h"

namespace twingrad::cuda {

// A matrix whose rows lie one after the other, or if it is transposed its columns do; `distance`
// elements from one to the next, at least their length.
struct Layout {
  bool is_transposed = false;
  int64_t distance = 1;
  int64_t batch_step = 0;  // elements from a matrix of the batch to the next
};

// out[p, i, j] = sum over k of a[p, i, k] b[p, k, j], `out` being row-major; nothing is 0.
struct ProductShape {
  int64_t batch = 1, rows = 1, columns = 1, inner = 1;
  Layout a, b;
};

// The walk is over batch, rows and columns of both operands, of which those of size 1 may be
// missing and neighbours be one; a_step and b_step lead along the inner dimension.
std::optional<ProductShape> ProductShapeOf(const kernels::OffsetWalk<2>& walk, int64_t inner,
                                           int64_t a_step, int64_t b_step);

}  // namespace twingrad::cuda
