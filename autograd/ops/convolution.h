// Convolutions over windows of the last one, two or three dimensions, and their adjoints,
// differentiable.
//
//   Tensor y = ops::Convolution<2>(images, weights, {2, 2}, {1, 1}, {}, /*groups=*/1);
//
// The first operand is [N, C, ..] or [C, ..]. An empty list stands for the usual numbers: a stride
// of 1, no padding, a dilation of 1. Padding is zeros, which meet weights. What does not fit is
// Error(kShape).

#pragma once

#include <cstdint>

#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// weights: [O, C / groups, ..]; group k of the results is made of group k of the channels.
template <int kDims>
Tensor Convolution(const Tensor& a, const Tensor& weights, Ints stride, Ints padding, Ints dilation,
                   int64_t groups);

// weights: [C, O / groups, ..]. What a convolution by them would make `a` of, with each entry added
// where that convolution reads it; `output_padding` entries, fewer than the stride, at the end of
// each dimension are added too.
template <int kDims>
Tensor TransposedConvolution(const Tensor& a, const Tensor& weights, Ints stride, Ints padding,
                             Ints dilation, int64_t groups, Ints output_padding);

}  // namespace twingrad::ops
