// Dnn: what convolutions need of cuDNN, which is loaded when it is first asked for.
//
//   const Dnn* dnn = FindDnn();                        // null: not there, WhyNoDnn() says why
//   dnn->set_stream(handle, stream); dnn->forward.run(handle, ...);
//
// So a program that links //cuda starts where there is no cuDNN, and convolves there by products of
// matrices. Over the fake runtime the entries are functions of cuda/fake/dnn.h.
//
// Any thread. A handle is one thread's at a time, and so is a descriptor that is being set; one
// that is set may be used by all.
#pragma once

#include <cuda_runtime_api.h>

#include <string_view>

#include "cuda/fake/dnn_types.h"

namespace twingrad::cuda {

template <class A, class B, class Out>
struct DnnPass {
  DnnOffers<A, B, Out> offers;
  DnnWorkspace<A, B, Out> workspace;
  DnnRun<A, B, Out> run;
};

struct Dnn {
  DnnStatus (*create)(DnnHandle* handle);
  DnnStatus (*set_stream)(DnnHandle handle, cudaStream_t stream);
  const char* (*name_of)(DnnStatus status);

  DnnStatus (*create_tensor)(DnnTensor* tensor);
  DnnStatus (*destroy_tensor)(DnnTensor tensor);
  DnnStatus (*set_tensor)(DnnTensor tensor, DnnType type, int rank, const int* sizes,
                          const int* strides);
  DnnStatus (*create_filter)(DnnFilter* filter);
  DnnStatus (*destroy_filter)(DnnFilter filter);
  DnnStatus (*set_filter)(DnnFilter filter, DnnType type, DnnFormat format, int rank,
                          const int* sizes);
  DnnStatus (*create_convolution)(DnnConvolution* convolution);
  DnnStatus (*destroy_convolution)(DnnConvolution convolution);
  DnnStatus (*set_convolution)(DnnConvolution convolution, int dims, const int* padding,
                               const int* stride, const int* dilation, DnnMode mode, DnnType type);
  DnnStatus (*set_groups)(DnnConvolution convolution, int groups);
  DnnStatus (*set_math)(DnnConvolution convolution, DnnMath math);

  // Of the operand and the weights; of the weights and a gradient; of the operand and a gradient.
  DnnPass<DnnTensor, DnnFilter, DnnTensor> forward;
  DnnPass<DnnFilter, DnnTensor, DnnTensor> by_operand;
  DnnPass<DnnTensor, DnnTensor, DnnFilter> by_weights;
};

const Dnn* FindDnn();

// In words for a person ("" where it is there).
std::string_view WhyNoDnn();

}  // namespace twingrad::cuda
