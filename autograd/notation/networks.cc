#include "autograd/notation/networks.h"

#include "autograd/ops/ops.h"

namespace twingrad {
namespace {

// A number for each channel, beside planes of so many dimensions.
Tensor PlusBias(Tensor planes, const Tensor& bias, int dims) {
  if (!bias.defined()) return planes;
  Shape shape(static_cast<size_t>(dims) + 1, 1);
  shape[0] = bias.numel();
  return ops::Add(planes, ops::Reshape(bias, shape));
}

template <int kDims>
Tensor Convolved(const Tensor& a, const Tensor& weights, const ConvolutionOptions& o) {
  return PlusBias(ops::Convolution<kDims>(a, weights, o.stride, o.padding, o.dilation, o.groups),
                  o.bias, kDims);
}

template <int kDims>
Tensor Transposed(const Tensor& a, const Tensor& weights, const TransposedOptions& o) {
  return PlusBias(ops::TransposedConvolution<kDims>(a, weights, o.stride, o.padding, o.dilation,
                                                    o.groups, o.output_padding),
                  o.bias, kDims);
}

}  // namespace

Tensor Linear(const Tensor& a, const Tensor& weights, const Tensor& bias) {
  return ops::Linear(a, weights, bias);
}

Tensor Conv1d(const Tensor& a, const Tensor& weights, const ConvolutionOptions& options) {
  return Convolved<1>(a, weights, options);
}
Tensor Conv2d(const Tensor& a, const Tensor& weights, const ConvolutionOptions& options) {
  return Convolved<2>(a, weights, options);
}
Tensor Conv3d(const Tensor& a, const Tensor& weights, const ConvolutionOptions& options) {
  return Convolved<3>(a, weights, options);
}

Tensor ConvTranspose1d(const Tensor& a, const Tensor& weights, const TransposedOptions& options) {
  return Transposed<1>(a, weights, options);
}
Tensor ConvTranspose2d(const Tensor& a, const Tensor& weights, const TransposedOptions& options) {
  return Transposed<2>(a, weights, options);
}
Tensor ConvTranspose3d(const Tensor& a, const Tensor& weights, const TransposedOptions& options) {
  return Transposed<3>(a, weights, options);
}

Tensor AvgPool1d(const Tensor& a, Ints kernel, const PoolOptions& options) {
  return ops::AvgPool<1>(a, kernel, options.stride, options.padding);
}
Tensor AvgPool2d(const Tensor& a, Ints kernel, const PoolOptions& options) {
  return ops::AvgPool<2>(a, kernel, options.stride, options.padding);
}
Tensor AvgPool3d(const Tensor& a, Ints kernel, const PoolOptions& options) {
  return ops::AvgPool<3>(a, kernel, options.stride, options.padding);
}

Tensor MaxPool1d(const Tensor& a, Ints kernel, const PoolOptions& options) {
  return ops::MaxPool<1>(a, kernel, options.stride, options.padding);
}
Tensor MaxPool2d(const Tensor& a, Ints kernel, const PoolOptions& options) {
  return ops::MaxPool<2>(a, kernel, options.stride, options.padding);
}
Tensor MaxPool3d(const Tensor& a, Ints kernel, const PoolOptions& options) {
  return ops::MaxPool<3>(a, kernel, options.stride, options.padding);
}

Tensor MaxPool1dIndices(const Tensor& a, Ints kernel, const PoolOptions& options) {
  return ops::MaxPoolIndices<1>(a, kernel, options.stride, options.padding);
}
Tensor MaxPool2dIndices(const Tensor& a, Ints kernel, const PoolOptions& options) {
  return ops::MaxPoolIndices<2>(a, kernel, options.stride, options.padding);
}
Tensor MaxPool3dIndices(const Tensor& a, Ints kernel, const PoolOptions& options) {
  return ops::MaxPoolIndices<3>(a, kernel, options.stride, options.padding);
}

ValuesAndIndices MaxPool1dWithIndices(const Tensor& a, Ints kernel, const PoolOptions& options) {
  return ops::MaxPoolWithIndices<1>(a, kernel, options.stride, options.padding);
}
ValuesAndIndices MaxPool2dWithIndices(const Tensor& a, Ints kernel, const PoolOptions& options) {
  return ops::MaxPoolWithIndices<2>(a, kernel, options.stride, options.padding);
}
ValuesAndIndices MaxPool3dWithIndices(const Tensor& a, Ints kernel, const PoolOptions& options) {
  return ops::MaxPoolWithIndices<3>(a, kernel, options.stride, options.padding);
}

Tensor AdaptiveAvgPool1d(const Tensor& a, Ints sizes) { return ops::AdaptiveAvgPool<1>(a, sizes); }
Tensor AdaptiveAvgPool2d(const Tensor& a, Ints sizes) { return ops::AdaptiveAvgPool<2>(a, sizes); }
Tensor AdaptiveAvgPool3d(const Tensor& a, Ints sizes) { return ops::AdaptiveAvgPool<3>(a, sizes); }

Tensor AdaptiveMaxPool1d(const Tensor& a, Ints sizes) { return ops::AdaptiveMaxPool<1>(a, sizes); }
Tensor AdaptiveMaxPool2d(const Tensor& a, Ints sizes) { return ops::AdaptiveMaxPool<2>(a, sizes); }
Tensor AdaptiveMaxPool3d(const Tensor& a, Ints sizes) { return ops::AdaptiveMaxPool<3>(a, sizes); }

Tensor AdaptiveMaxPool1dIndices(const Tensor& a, Ints sizes) {
  return ops::AdaptiveMaxPoolIndices<1>(a, sizes);
}
Tensor AdaptiveMaxPool2dIndices(const Tensor& a, Ints sizes) {
  return ops::AdaptiveMaxPoolIndices<2>(a, sizes);
}
Tensor AdaptiveMaxPool3dIndices(const Tensor& a, Ints sizes) {
  return ops::AdaptiveMaxPoolIndices<3>(a, sizes);
}

ValuesAndIndices AdaptiveMaxPool1dWithIndices(const Tensor& a, Ints sizes) {
  return ops::AdaptiveMaxPoolWithIndices<1>(a, sizes);
}
ValuesAndIndices AdaptiveMaxPool2dWithIndices(const Tensor& a, Ints sizes) {
  return ops::AdaptiveMaxPoolWithIndices<2>(a, sizes);
}
ValuesAndIndices AdaptiveMaxPool3dWithIndices(const Tensor& a, Ints sizes) {
  return ops::AdaptiveMaxPoolWithIndices<3>(a, sizes);
}

Tensor UpsampleNearest1d(const Tensor& a, Ints sizes) { return ops::UpsampleNearest<1>(a, sizes); }
Tensor UpsampleNearest2d(const Tensor& a, Ints sizes) { return ops::UpsampleNearest<2>(a, sizes); }
Tensor UpsampleNearest3d(const Tensor& a, Ints sizes) { return ops::UpsampleNearest<3>(a, sizes); }

Tensor UpsampleLinear1d(const Tensor& a, Ints sizes, bool corners) {
  return ops::UpsampleLinear<1>(a, sizes, corners);
}
Tensor UpsampleBilinear2d(const Tensor& a, Ints sizes, bool corners) {
  return ops::UpsampleLinear<2>(a, sizes, corners);
}
Tensor UpsampleTrilinear3d(const Tensor& a, Ints sizes, bool corners) {
  return ops::UpsampleLinear<3>(a, sizes, corners);
}
Tensor UpsampleBicubic2d(const Tensor& a, Ints sizes, bool corners) {
  return ops::UpsampleBicubic(a, sizes, corners);
}

}  // namespace twingrad
