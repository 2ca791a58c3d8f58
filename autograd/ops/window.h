// Convolutions and pools over windows of the last one, two or three dimensions, differentiable.
//
//   Tensor y = ops::Convolution<2>(images, weights, {2, 2}, {1, 1}, {}, /*groups=*/1);
//   Tensor z = ops::MaxPool<2>(y, {2, 2}, {}, {});
//
// The first operand is [N, C, ..] or [C, ..]. An empty list stands for the usual numbers: a stride
// of 1 (of pools, the kernel), no padding, a dilation of 1. Padding is zeros for convolutions and
// averages, which meet weights and count; max_pool does not see it. What does not fit is
// Error(kShape).

#pragma once

#include <cstdint>

#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// weights: [O, C / groups, ..]; group k of the results is made of group k of the channels.
template <int kDims>
Tensor Convolution(const Tensor& a, const Tensor& weights, Ints stride, Ints padding, Ints dilation,
                   int64_t groups);

template <int kDims>
Tensor AvgPool(const Tensor& a, Ints kernel, Ints stride, Ints padding);

// The first of the greatest, or the first NaN; and where it stands in its plane. The padding is at
// most half of the kernel.
template <int kDims>
Tensor MaxPool(const Tensor& a, Ints kernel, Ints stride, Ints padding);
template <int kDims>
Tensor MaxPoolIndices(const Tensor& a, Ints kernel, Ints stride, Ints padding);

}  // namespace twingrad::ops
