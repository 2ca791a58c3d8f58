// Pools over windows of the last one, two or three dimensions, differentiable.
//
//   Tensor y = ops::MaxPool<2>(images, {2, 2}, {}, {});
//   Tensor z = ops::AdaptiveAvgPool<2>(images, {1, 1});
//
// The operand is [N, C, ..] or [C, ..]. An empty stride stands for the kernel, an empty padding for
// none. Padding is zeros for means, which count; max_pool does not see it. Adaptive pools share the
// plane out among as many windows as `sizes` say, as equal as can be. What does not fit is
// Error(kShape).

#pragma once

#include "autograd/ops/values_and_indices.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// The padding is at most half of the kernel.
template <int kDims>
Tensor AvgPool(const Tensor& a, Ints kernel, Ints stride, Ints padding);
// The first of the greatest, or the first NaN; and where it stands in its plane.
template <int kDims>
Tensor MaxPool(const Tensor& a, Ints kernel, Ints stride, Ints padding);
template <int kDims>
Tensor MaxPoolIndices(const Tensor& a, Ints kernel, Ints stride, Ints padding);
// Both, by one search, in one node.
template <int kDims>
ValuesAndIndices MaxPoolWithIndices(const Tensor& a, Ints kernel, Ints stride, Ints padding);

template <int kDims>
Tensor AdaptiveAvgPool(const Tensor& a, Ints sizes);
template <int kDims>
Tensor AdaptiveMaxPool(const Tensor& a, Ints sizes);
template <int kDims>
Tensor AdaptiveMaxPoolIndices(const Tensor& a, Ints sizes);
template <int kDims>
ValuesAndIndices AdaptiveMaxPoolWithIndices(const Tensor& a, Ints sizes);

}  // namespace twingrad::ops
