#include "autograd/tensor/kernels/processor/products.h"

#include <dnnl.h>

#include <cstdint>
#include <memory>
#include <new>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/tensor/kernels/processor/one_thread.h"

namespace twingrad::processor {
namespace {

// A matrix as BLAS takes it: its rows one after the other, or its columns.
struct Layout {
  explicit Layout(const Matrix<float>& m)
      : letter(m.column_step == 1 && m.row_step >= m.columns ? 'N' : 'T'),
        distance(letter == 'N' ? m.row_step : m.column_step) {}
  char letter;
  dnnl_dim_t distance;
};

}  // namespace

void Multiply(const Matrix<float>& a, const Matrix<float>& b, float* out) {
  const Layout of_a(a), of_b(b);
  const OneThread one_thread;
  const dnnl_status_t status =
      dnnl_sgemm(of_a.letter, of_b.letter, a.rows, b.columns, a.columns, 1.0f, a.data,
                 of_a.distance, b.data, of_b.distance, 0.0f, out, b.columns);
  if (status != dnnl_success) {
    throw Error(ErrorKind::kInternal,
                absl::StrCat("[matmul] oneDNN ends with status ", static_cast<int>(status),
                             " for a product of ", a.rows, " by ", a.columns, " and ", b.rows,
                             " by ", b.columns,
                             "; it takes all sizes for which there is memory; "
                             "use smaller ones"));
  }
}

void Multiply(const Matrix<double>& a, const Matrix<double>& b, double* out) {
  const Loops& loops = LoopsInUse();
  const int64_t count = loops.scratch_elements(a, b);
  const std::unique_ptr<double[]> scratch(new (std::nothrow) double[static_cast<size_t>(count)]);
  if (scratch == nullptr) {
    throw Error(ErrorKind::kInvalidArgument, absl::StrCat("[matmul] no memory for ", count,
                                                          " elements beside the product; use "
                                                          "smaller sizes"));
  }
  loops.product(a, b, out, scratch.get());
}

}  // namespace twingrad::processor
