// Blas: what products of matrices need of cuBLAS, which is loaded when it is first asked for.
//
//   const Blas* blas = FindBlas();                     // null: not there, WhyNoBlas() says why
//   blas->set_stream(handle, stream); blas->dgemm(handle, ...);
//
// So a program that links //cuda starts where there is no cuBLAS, and multiplies there by a kernel
// of its own. Over the fake runtime the entries are functions of cuda/fake/blas.h.
//
// Any thread. A handle is one thread's at a time.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string_view>

#include "cuda/fake/blas_types.h"

namespace twingrad::cuda {

struct Blas {
  BlasStatus (*create)(BlasHandle* handle);
  BlasStatus (*set_stream)(BlasHandle handle, cudaStream_t stream);
  // Memory that the next products may use; without any they choose kernels that need none. To be
  // set after each set_stream: one of cuBLAS's own would make bits depend on what else runs.
  BlasStatus (*set_workspace)(BlasHandle handle, void* workspace, size_t bytes);
  BlasGemm<float> sgemm;
  BlasGemm<double> dgemm;

  BlasGemm<float> GemmOf(float) const { return sgemm; }
  BlasGemm<double> GemmOf(double) const { return dgemm; }
};

const Blas* FindBlas();

// In words for a person ("" where it is there).
std::string_view WhyNoBlas();

}  // namespace twingrad::cuda
