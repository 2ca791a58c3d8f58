// The node of operations that take elements by their index along a dimension.

#pragma once

#include <cstdint>

#include "autograd/ops/geometry.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/rearrange.h"
#include "autograd/ops/recording.h"

namespace twingrad::ops {

inline Tensor ZerosLike(const Tensor& gradient, const Shape& sizes) {
  return Tensor::Zeros(sizes, gradient.dtype(), gradient.device());
}

// Records `result` as what the indices took from `a`; where an operation dropped the dimension that
// the index keeps, the gradient is given it back.
inline void RecordTaken(const char* node_name, const Tensor& a, int64_t dim, const Tensor& index,
                        const Tensor& result) {
  if (!ShouldRecord(a)) return;
  Record<1>(node_name, result, a, [dim, sizes = SizesOf(a)](const Tensor& g, const Tensor* saved) {
    return ScatterAdd(ZerosLike(g, sizes), dim, saved[0], ReshapeTo(g, saved[0].sizes()));
  })->Save(index);
}

}  // namespace twingrad::ops
