// What //cuda knows of cuBLAS: the signatures and values of <cublas_v2.h>, which a toolkit may
// lack. Matrices have their columns one after the other.
#pragma once

#include <cstdint>

struct cublasContext;

namespace twingrad::cuda {

// A context of cuBLAS, bound to the device that was current when it was created.
using BlasHandle = cublasContext*;

enum BlasStatus : int { kBlasSuccess = 0, kBlasAllocFailed = 3, kBlasExecutionFailed = 13 };
enum BlasOperation : int { kBlasAsItIs = 0, kBlasTransposed = 1 };

// C = alpha op(A) op(B) + beta C for each of `count` triples, `stride` elements apart; op(A) is m x
// k, op(B) k x n. cublas<T>gemmStridedBatched_64.
template <class T>
using BlasGemm = BlasStatus (*)(BlasHandle handle, BlasOperation of_a, BlasOperation of_b,
                                int64_t m, int64_t n, int64_t k, const T* alpha, const T* a,
                                int64_t lda, long long stride_a, const T* b, int64_t ldb,
                                long long stride_b, const T* beta, T* c, int64_t ldc,
                                long long stride_c, int64_t count);

}  // namespace twingrad::cuda
