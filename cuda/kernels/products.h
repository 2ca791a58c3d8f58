// Matrix products of floats by cuBLAS.
//
//   if (!MultiplyByBlas(op, body, stream)) LaunchBody(op, body, count, accesses, stream);
//
// Plain enough for .cu files. Any thread.
#pragma once

#include "autograd/device/stream.h"
#include "autograd/tensor/kernels/bodies.h"
#include "autograd/tensor/kernels/numbers.h"

namespace twingrad::cuda {

template <class T>
using Product = kernels::MatmulBody<kernels::MulNumber, kernels::AddNumber, T>;

// Queues all of the products on the stream; false: there is no cuBLAS, or the operands do not lie
// as it takes them. Throws Error(kDevice) if it fails.
//
// A shape's sums always have the same order: each product has a workspace of its own, so that the
// kernel that cuBLAS chooses depends on nothing else.
bool MultiplyByBlas(const char* op, const Product<float>& body, Stream stream);
bool MultiplyByBlas(const char* op, const Product<double>& body, Stream stream);

}  // namespace twingrad::cuda
