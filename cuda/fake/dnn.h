// The entries of cuDNN that //cuda uses (cuda/dnn.h), over the fake runtime: each convolution is a
// kernel that sums in order, from +0.
//
//   fake::FailDnn("cudnnConvolutionForward", 1, kDnnNotSupported);   // the next call of it
//
// What a mistake would do shows. Handles and descriptors that are not valid, not set or of another
// device, shapes that do not belong together and a workspace that is too small are refused by the
// status that cuDNN has for them. f32 without kDnnFmaMath is rounded to TF32. Of the algorithms
// that it offers, those before the last are not deterministic, transform, are not supported, or
// want more memory than there is; none of these runs. As a product of matrices would, the gradient
// by the operand multiplies weights by zeros where no window has an entry.
//
// Any thread, but not a kernel or a host function. Handles live as long as the process.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "cuda/fake/dnn_types.h"

namespace twingrad::cuda::fake {

// By cuDNN's names the calls can be made to fail, and by "launch" a convolution's kernel: by a
// status of cuDNN (FailDnn), or of CUDA (FailCall), which is kDnnDeviceAllocationFailed for a lack
// of memory, else kDnnCudartFailed.
DnnStatus DnnCreate(DnnHandle* handle);
DnnStatus DnnSetStream(DnnHandle handle, cudaStream_t stream);
const char* DnnNameOf(DnnStatus status);

DnnStatus CreateTensor(DnnTensor* tensor);
DnnStatus DestroyTensor(DnnTensor tensor);
DnnStatus SetTensor(DnnTensor tensor, DnnType type, int rank, const int* sizes, const int* strides);
DnnStatus CreateFilter(DnnFilter* filter);
DnnStatus DestroyFilter(DnnFilter filter);
DnnStatus SetFilter(DnnFilter filter, DnnType type, DnnFormat format, int rank, const int* sizes);
DnnStatus CreateConvolution(DnnConvolution* convolution);
DnnStatus DestroyConvolution(DnnConvolution convolution);
DnnStatus SetConvolution(DnnConvolution convolution, int dims, const int* padding,
                         const int* stride, const int* dilation, DnnMode mode, DnnType type);
DnnStatus SetGroups(DnnConvolution convolution, int groups);
DnnStatus SetMath(DnnConvolution convolution, DnnMath math);

// Of the three passes of cuda/dnn.h, which the types of their descriptors tell apart.
template <class A, class B, class Out>
DnnStatus OfferAlgorithms(DnnHandle handle, A a, B b, DnnConvolution convolution, Out out, int most,
                          int* count, DnnOffer* offers);
template <class A, class B, class Out>
DnnStatus GetWorkspace(DnnHandle handle, A a, B b, DnnConvolution convolution, Out out,
                       int algorithm, size_t* bytes);
template <class A, class B, class Out>
DnnStatus RunConvolution(DnnHandle handle, const void* alpha, A a, const void* a_data, B b,
                         const void* b_data, DnnConvolution convolution, int algorithm,
                         void* workspace, size_t bytes, const void* beta, Out out, void* out_data);

// What the algorithm that runs works in.
inline constexpr size_t kDnnWorkspaceBytes = 512;

// The n-th call of an entry from now on, 1 being the next, does nothing and answers `status`. An
// empty name: of any. Replaces what was to fail so before. HasFailed and WhatFailed tell.
void FailDnn(std::string entry, int n, DnnStatus status);

// Descriptors that were created and not destroyed.
int64_t CountDescriptors();

}  // namespace twingrad::cuda::fake
