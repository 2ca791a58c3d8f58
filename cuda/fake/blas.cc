#include "cuda/fake/blas.h"

#include <list>
#include <vector>

#include "autograd/sync/once.h"
#include "cuda/fake/access.h"
#include "cuda/fake/launch.h"
#include "cuda/fake/runtime.h"

// A context: the settings of the products to come. It lives as long as the process.
struct cublasContext {
  int device;
  cudaStream_t stream = nullptr;
  void* workspace = nullptr;
  size_t workspace_bytes = 0;
};

namespace twingrad::cuda::fake {
namespace {

// All that were created; under the runtime's lock.
constinit sync::Lazy<std::list<cublasContext>> contexts;

BlasStatus StatusOf(cudaError_t status) {
  switch (status) {
    case cudaSuccess:
      return kBlasSuccess;
    case cudaErrorMemoryAllocation:
      return kBlasAllocFailed;
    default:
      return kBlasExecutionFailed;
  }
}

// A column-major matrix of the batch: its element (row, column) after `operation`.
template <class T>
struct Operand {
  const T* data;
  int64_t distance;
  long long stride;
  bool is_transposed;

  const T& At(int64_t p, int64_t row, int64_t column) const {
    return data[p * stride + (is_transposed ? column + row * distance : row + column * distance)];
  }
  // Of `count` matrices of so many rows and columns.
  size_t Bytes(int64_t rows, int64_t columns, int64_t count) const {
    return static_cast<size_t>(&At(count - 1, rows - 1, columns - 1) - data + 1) * sizeof(T);
  }
};

}  // namespace

BlasStatus BlasCreate(BlasHandle* handle) {
  return StatusOf(Enter("cublasCreate", [&](Runtime&) {
    *handle = &contexts->emplace_back(cublasContext{StateOfThread().device});
    return cudaSuccess;
  }));
}

BlasStatus BlasSetStream(BlasHandle handle, cudaStream_t stream) {
  handle->stream = stream;
  handle->workspace = nullptr;
  handle->workspace_bytes = 0;
  return kBlasSuccess;
}

BlasStatus BlasSetWorkspace(BlasHandle handle, void* workspace, size_t bytes) {
  handle->workspace = workspace;
  handle->workspace_bytes = bytes;
  return kBlasSuccess;
}

template <class T>
BlasStatus Gemm(BlasHandle handle, BlasOperation of_a, BlasOperation of_b, int64_t m, int64_t n,
                int64_t k, const T* alpha, const T* a, int64_t lda, long long stride_a, const T* b,
                int64_t ldb, long long stride_b, const T* beta, T* c, int64_t ldc,
                long long stride_c, int64_t count) {
  constexpr int kInvalidValue = 7;
  const bool turns_a = of_a == kBlasTransposed, turns_b = of_b == kBlasTransposed;
  if (m < 1 || n < 1 || k < 1 || count < 1 || lda < (turns_a ? k : m) || ldb < (turns_b ? n : k) ||
      ldc < m || *alpha != T(1) || *beta != T(0) || handle->device != StateOfThread().device) {
    return static_cast<BlasStatus>(kInvalidValue);
  }
  const Operand<T> of{a, lda, stride_a, turns_a}, by{b, ldb, stride_b, turns_b},
      to{c, ldc, stride_c, false};
  std::vector<Access> accesses = {{a, of.Bytes(m, k, count), false},
                                  {b, by.Bytes(k, n, count), false},
                                  {c, to.Bytes(m, n, count), true},
                                  {handle->workspace, handle->workspace_bytes, true}};
  return StatusOf(LaunchOnHost("gemm", {1, 1, 0}, accesses, handle->stream, [=] {
    for (int64_t p = 0; p < count; ++p) {
      for (int64_t j = 0; j < n; ++j) {
        for (int64_t i = 0; i < m; ++i) {
          T total(0);
          for (int64_t l = 0; l < k; ++l) total += of.At(p, i, l) * by.At(p, l, j);
          c[p * stride_c + i + j * ldc] = total;
        }
      }
    }
  }));
}

template BlasStatus Gemm<float>(BlasHandle, BlasOperation, BlasOperation, int64_t, int64_t, int64_t,
                                const float*, const float*, int64_t, long long, const float*,
                                int64_t, long long, const float*, float*, int64_t, long long,
                                int64_t);
template BlasStatus Gemm<double>(BlasHandle, BlasOperation, BlasOperation, int64_t, int64_t,
                                 int64_t, const double*, const double*, int64_t, long long,
                                 const double*, int64_t, long long, const double*, double*, int64_t,
                                 long long, int64_t);

}  // namespace twingrad::cuda::fake
