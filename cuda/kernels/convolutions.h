// Convolutions of floats by cuDNN, and their gradients.
//
//   if (!ConvolveByDnn(op, work, stream)) ...     // products of matrices
//
// Plain enough for .cu files. Any thread.
#pragma once

#include "autograd/device/stream.h"
#include "autograd/tensor/kernels/convolution_bodies.h"

namespace twingrad::cuda {

// Queues it on the stream; false: there is no cuDNN, or it has nothing for the shape. Throws
// Error(kDevice) if it fails.
//
// A shape's sums always have the same order (convolution_plans.h). What is summed for the wide
// tensor may have terms of weights times zeros that the sum does not have.
bool ConvolveByDnn(const char* op, const kernels::ConvolutionWork<float>& work, Stream stream);
bool ConvolveByDnn(const char* op, const kernels::ConvolutionWork<double>& work, Stream stream);

}  // namespace twingrad::cuda
