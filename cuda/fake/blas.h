// The entries of cuBLAS that //cuda uses (cuda/blas.h), over the fake runtime: each product is a
// kernel that sums in order, from +0.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "cuda/fake/blas_types.h"

namespace twingrad::cuda::fake {

// Of the calls, "cublasCreate" can be made to fail (FailCall), and "launch", a product's one; the
// status is kBlasAllocFailed for a lack of memory, else kBlasExecutionFailed.
BlasStatus BlasCreate(BlasHandle* handle);
BlasStatus BlasSetStream(BlasHandle handle, cudaStream_t stream);
BlasStatus BlasSetWorkspace(BlasHandle handle, void* workspace, size_t bytes);

template <class T>
BlasStatus Gemm(BlasHandle handle, BlasOperation of_a, BlasOperation of_b, int64_t m, int64_t n,
                int64_t k, const T* alpha, const T* a, int64_t lda, long long stride_a, const T* b,
                int64_t ldb, long long stride_b, const T* beta, T* c, int64_t ldc,
                long long stride_c, int64_t count);

}  // namespace twingrad::cuda::fake
