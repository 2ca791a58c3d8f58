// What networks are made of: linear layers, convolutions, pools and resampling, with their options
// by name.
//
//   Tensor y = Conv2d(images, weights, {.bias = b, .padding = {1, 1}});
//   y = MaxPool2d(Relu(y), {2, 2});
//   Tensor logits = Linear(Reshape(y, {batch, -1}), w, c);
//
// Planes are [N, C, ..] or [C, ..]. Lists in options have a number for each dimension of the plane;
// an empty one stands for the usual numbers: a stride of 1 (of pools that of their kernel), no
// padding, a dilation of 1. What does not fit is Error(kShape).

#pragma once

#include <cstdint>
#include <vector>

#include "autograd/ops/values_and_indices.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

// a weightsᵀ + bias for a: [.., I], weights: [O, I] and bias: [O], or none.
Tensor Linear(const Tensor& a, const Tensor& weights, const Tensor& bias = {});

struct ConvolutionOptions {
  Tensor bias = {};  // [O], or none
  std::vector<int64_t> stride = {};
  std::vector<int64_t> padding = {};
  std::vector<int64_t> dilation = {};
  int64_t groups = 1;
};
// weights: [O, C / groups, ..].
Tensor Conv1d(const Tensor& a, const Tensor& weights, const ConvolutionOptions& options = {});
Tensor Conv2d(const Tensor& a, const Tensor& weights, const ConvolutionOptions& options = {});
Tensor Conv3d(const Tensor& a, const Tensor& weights, const ConvolutionOptions& options = {});

struct TransposedOptions {
  Tensor bias = {};  // [O], or none
  std::vector<int64_t> stride = {};
  std::vector<int64_t> padding = {};
  std::vector<int64_t> output_padding = {};
  std::vector<int64_t> dilation = {};
  int64_t groups = 1;
};
// weights: [C, O / groups, ..].
Tensor ConvTranspose1d(const Tensor& a, const Tensor& weights,
                       const TransposedOptions& options = {});
Tensor ConvTranspose2d(const Tensor& a, const Tensor& weights,
                       const TransposedOptions& options = {});
Tensor ConvTranspose3d(const Tensor& a, const Tensor& weights,
                       const TransposedOptions& options = {});

struct PoolOptions {
  std::vector<int64_t> stride = {};
  std::vector<int64_t> padding = {};  // at most half of the kernel
};
// Padding counts as zeros.
Tensor AvgPool1d(const Tensor& a, Ints kernel, const PoolOptions& options = {});
Tensor AvgPool2d(const Tensor& a, Ints kernel, const PoolOptions& options = {});
Tensor AvgPool3d(const Tensor& a, Ints kernel, const PoolOptions& options = {});
// The first of the greatest, and where it stands in its plane.
Tensor MaxPool1d(const Tensor& a, Ints kernel, const PoolOptions& options = {});
Tensor MaxPool2d(const Tensor& a, Ints kernel, const PoolOptions& options = {});
Tensor MaxPool3d(const Tensor& a, Ints kernel, const PoolOptions& options = {});
Tensor MaxPool1dIndices(const Tensor& a, Ints kernel, const PoolOptions& options = {});
Tensor MaxPool2dIndices(const Tensor& a, Ints kernel, const PoolOptions& options = {});
Tensor MaxPool3dIndices(const Tensor& a, Ints kernel, const PoolOptions& options = {});
// Both at once: `.values` and `.indices`.
using ops::ValuesAndIndices;
ValuesAndIndices MaxPool1dWithIndices(const Tensor& a, Ints kernel,
                                      const PoolOptions& options = {});
ValuesAndIndices MaxPool2dWithIndices(const Tensor& a, Ints kernel,
                                      const PoolOptions& options = {});
ValuesAndIndices MaxPool3dWithIndices(const Tensor& a, Ints kernel,
                                      const PoolOptions& options = {});

// Of as many windows as `sizes` say, as equal as can be.
Tensor AdaptiveAvgPool1d(const Tensor& a, Ints sizes);
Tensor AdaptiveAvgPool2d(const Tensor& a, Ints sizes);
Tensor AdaptiveAvgPool3d(const Tensor& a, Ints sizes);
Tensor AdaptiveMaxPool1d(const Tensor& a, Ints sizes);
Tensor AdaptiveMaxPool2d(const Tensor& a, Ints sizes);
Tensor AdaptiveMaxPool3d(const Tensor& a, Ints sizes);
Tensor AdaptiveMaxPool1dIndices(const Tensor& a, Ints sizes);
Tensor AdaptiveMaxPool2dIndices(const Tensor& a, Ints sizes);
Tensor AdaptiveMaxPool3dIndices(const Tensor& a, Ints sizes);
ValuesAndIndices AdaptiveMaxPool1dWithIndices(const Tensor& a, Ints sizes);
ValuesAndIndices AdaptiveMaxPool2dWithIndices(const Tensor& a, Ints sizes);
ValuesAndIndices AdaptiveMaxPool3dWithIndices(const Tensor& a, Ints sizes);

// With `corners` the corners stand on corners, else the middles of all entries fill the same
// length.
Tensor UpsampleNearest1d(const Tensor& a, Ints sizes);
Tensor UpsampleNearest2d(const Tensor& a, Ints sizes);
Tensor UpsampleNearest3d(const Tensor& a, Ints sizes);
Tensor UpsampleLinear1d(const Tensor& a, Ints sizes, bool corners = false);
Tensor UpsampleBilinear2d(const Tensor& a, Ints sizes, bool corners = false);
Tensor UpsampleTrilinear3d(const Tensor& a, Ints sizes, bool corners = false);
Tensor UpsampleBicubic2d(const Tensor& a, Ints sizes, bool corners = false);

}  // namespace twingrad
