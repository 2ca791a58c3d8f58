// What //cuda knows of cuDNN: the signatures and values of <cudnn.h>, which a toolkit does not
// bring. Tensors, weights and convolutions are told to it as objects of its own, *descriptors*.
//
// declarations_test compares them with the header where it is there.
#pragma once

#include <cstddef>

struct cudnnContext;
struct cudnnTensorStruct;
struct cudnnFilterStruct;
struct cudnnConvolutionStruct;

namespace twingrad::cuda {

// A context of cuDNN, bound to the device that was current when it was created; its descriptors.
using DnnHandle = cudnnContext*;
using DnnTensor = cudnnTensorStruct*;
using DnnFilter = cudnnFilterStruct*;
using DnnConvolution = cudnnConvolutionStruct*;

// The thousands say of what kind a failure is.
enum DnnStatus : int {
  kDnnSuccess = 0,
  kDnnNotInitialized = 1001,
  kDnnVersionMismatch = 1002,
  kDnnLoadingFailed = 1008,
  kDnnBadParam = 2000,
  kDnnNullPointer = 2002,
  kDnnNotFinalized = 2004,
  kDnnSizeInsufficient = 2006,
  kDnnShapeMismatch = 2008,
  kDnnNotSupported = 3000,
  kDnnShapeNotSupported = 3002,
  kDnnInternalError = 4000,
  kDnnHostAllocationFailed = 4003,
  kDnnDeviceAllocationFailed = 4004,
  kDnnExecutionFailed = 5000,
  kDnnCudartFailed = 5003,
};
enum DnnType : int { kDnnFloat = 0, kDnnDouble = 1 };
enum DnnFormat : int { kDnnRowMajor = 0 };  // [N, C, ..]
// Whether the weights are turned round; they are not.
enum DnnMode : int { kDnnCrossCorrelation = 1 };
// The units that multiply: what is the default may round f32 to TF32 first.
enum DnnMath : int { kDnnDefaultMath = 0, kDnnFmaMath = 3 };
enum DnnDeterminism : int { kDnnNonDeterministic = 0, kDnnDeterministic = 1 };

// An algorithm that cuDNN offers, those it takes for fastest first.
struct DnnOffer {
  int algorithm;
  DnnStatus status;  // of the question, for this one
  float time;
  size_t memory;
  DnnDeterminism determinism;
  DnnMath math;
  int reserved[3];
};

// Algorithms that are sums of products; others transform the operands, which loses digits, and
// spreads what is not finite. cudnnConvolutionFwdAlgo_t, ...BwdDataAlgo_t, ...BwdFilterAlgo_t.
inline constexpr int kDnnForwardSums[] = {0, 1, 2, 3};
inline constexpr int kDnnDataSums[] = {0, 1};
inline constexpr int kDnnFilterSums[] = {0, 1, 3};

// out = alpha f(a, b) + beta out, where f is a convolution or one of its gradients: which offers
// there are, how much memory an algorithm works in, and the work.
template <class A, class B, class Out>
using DnnOffers = DnnStatus (*)(DnnHandle handle, A a, B b, DnnConvolution convolution, Out out,
                                int most, int* count, DnnOffer* offers);
template <class A, class B, class Out>
using DnnWorkspace = DnnStatus (*)(DnnHandle handle, A a, B b, DnnConvolution convolution, Out out,
                                   int algorithm, size_t* bytes);
template <class A, class B, class Out>
using DnnRun = DnnStatus (*)(DnnHandle handle, const void* alpha, A a, const void* a_data, B b,
                             const void* b_data, DnnConvolution convolution, int algorithm,
                             void* workspace, size_t bytes, const void* beta, Out out,
                             void* out_data);

}  // namespace twingrad::cuda
