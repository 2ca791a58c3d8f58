// Convolutions and their adjoints: each of three tensors from the two others.
//
//   ConvolutionForm form{windows, /*groups=*/1, wide.sizes(), weights.sizes(), {n, o, ...}};
//   Tensor narrow = kernels::Convolve(form, wide, weights);
//   Tensor g = kernels::ConvolveBack(form, gradient, weights);     // narrow's, by wide
//   Tensor h = kernels::ConvolveWeights(form, wide, gradient);     // narrow's, by weights
//
// They are products of matrices of the windows' entries (windows.h), but where the device has a
// kernel for a whole convolution (convolution_bodies.h) and takes the shape, and where oneDNN takes
// it (processor/convolutions.h): in f32 on the CPU, from kConvolutionVectorSize multiplications on.
// Results are fresh and contiguous. f32 and f64; f16 and bf16 are computed as f32. Operands that do
// not have the form's shapes are Error(kShape). No history; any thread.

#pragma once

#include <cstdint>

#include "autograd/base/dtype.h"
#include "autograd/tensor/kernels/windows.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::kernels {

// oneDNN takes some microseconds to find its kernel, and once a shape a fraction of a millisecond
// to compile it.
inline constexpr int64_t kConvolutionVectorSize = int64_t{1} << 16;

// The three shapes, which fit each other: `wide` ends in the plane of the windows, `narrow` in
// their counts, `weights` in the entries of one. Before these come samples, if there are any, and
// channels, those of the weights being [O, C / groups].
struct ConvolutionForm {
  Windows windows;
  int64_t groups = 1;
  Shape wide, weights, narrow;
};

// For each window the sum of its entries times the weights, the zeros of the padding too.
Tensor Convolve(const ConvolutionForm& form, const Tensor& wide, const Tensor& weights);
// The adjoint in `wide`: each element of `narrow` times the weights, added where its window has the
// entries; those in the padding are lost.
Tensor ConvolveBack(const ConvolutionForm& form, const Tensor& narrow, const Tensor& weights);
// The adjoint in `weights`.
Tensor ConvolveWeights(const ConvolutionForm& form, const Tensor& wide, const Tensor& narrow);

}  // namespace twingrad::kernels
