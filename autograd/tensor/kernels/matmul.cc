#include "autograd/tensor/kernels/matmul.h"

#include <Eigen/Core>
#include <algorithm>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/numbers.h"

namespace twingrad::kernels {
namespace {

// One matrix of a batch.
template <typename T>
struct Matrix {
  const T* data;
  int64_t rows, columns;
  int64_t row_step, column_step;
};

template <typename T>
void SmallProduct(const Matrix<T>& a, const Matrix<T>& b, T* out) {
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < b.columns; ++j) {
      const T* p = a.data + i * a.row_step;
      const T* q = b.data + j * b.column_step;
      T total(0);
      for (int64_t k = 0; k < a.columns; ++k) {
        total = AddNumber::Of(total, MulNumber::Of(p[k * a.column_step], q[k * b.row_step]));
      }
      *out++ = total;
    }
  }
}

template <typename T, int kOrder>
using EigenMatrix = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, kOrder>,
                               Eigen::Unaligned, Eigen::OuterStride<>>;

// Calls function with an Eigen view of `matrix`, which has one dimension of step 1.
template <typename T, typename Function>
void WithEigen(const Matrix<T>& matrix, Function&& function) {
  if (matrix.column_step == 1) {
    function(EigenMatrix<T, Eigen::RowMajor>(matrix.data, matrix.rows, matrix.columns,
                                             Eigen::OuterStride<>(matrix.row_step)));
  } else {
    function(EigenMatrix<T, Eigen::ColMajor>(matrix.data, matrix.rows, matrix.columns,
                                             Eigen::OuterStride<>(matrix.column_step)));
  }
}

template <typename T>
void LargeProduct(const Matrix<T>& a, const Matrix<T>& b, T* out) {
  Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> result(out, a.rows,
                                                                                       b.columns);
  WithEigen(a,
            [&](const auto& x) { WithEigen(b, [&](const auto& y) { result.noalias() = x * y; }); });
}

// Whether Eigen can read it in place: one dimension of step 1, rows that do not overlap.
template <typename T>
bool ReadableByEigen(const Matrix<T>& m) {
  return (m.column_step == 1 && m.row_step >= m.columns) ||
         (m.row_step == 1 && m.column_step >= m.rows);
}

template <typename T>
void Product(const Matrix<T>& a, const Matrix<T>& b, T* out) {
  if constexpr (std::is_floating_point_v<T>) {
    // Rows and columns of one (vectors) keep the left fold.
    if (a.rows > 1 && b.columns > 1 && a.rows * b.columns * a.columns >= kMatmulVectorSize &&
        ReadableByEigen(a) && ReadableByEigen(b)) {
      return LargeProduct(a, b, out);
    }
  }
  SmallProduct(a, b, out);
}

void CheckShapes(const Tensor& a, const Tensor& b) {
  constexpr int64_t kMaxRank = 4;
  const auto fits = [](const Tensor& t) { return t.dim() >= 1 && t.dim() <= kMaxRank; };
  if (!fits(a) || !fits(b)) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[matmul] ranks ", a.dim(), " and ", b.dim(), "; ranks 1 to ",
                             kMaxRank, " are allowed; reshape the operand"));
  }
  const int64_t inner_a = a.sizes().back();
  const int64_t inner_b = b.sizes()[b.dim() == 1 ? 0 : b.dim() - 2];
  if (inner_a != inner_b) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[matmul] shapes ", ShapeToString(a.sizes()), " and ",
                             ShapeToString(b.sizes()), " have inner dimensions ", inner_a, " and ",
                             inner_b, "; they must be equal; transpose or reshape one operand"));
  }
}

Ints BatchSizes(const Tensor& t) {
  return t.dim() <= 2 ? Ints() : t.sizes().subspan(0, t.dim() - 2);
}

Shape BatchStrides(const Tensor& t, Ints batch) {
  const Ints sizes = BatchSizes(t);
  return BroadcastStrides(sizes, t.strides().subspan(0, sizes.size()), batch);
}

template <typename T>
Tensor MatmulOf(const Tensor& a, const Tensor& b) {
  const auto a_sizes = a.sizes(), b_sizes = b.sizes();
  const auto a_strides = a.strides(), b_strides = b.strides();
  const bool row = a.dim() == 1, column = b.dim() == 1;
  Matrix<T> x{nullptr, row ? 1 : a_sizes[a.dim() - 2], a_sizes.back(),
              row ? 0 : a_strides[a.dim() - 2], a_strides.back()};
  Matrix<T> y{nullptr, b_sizes[column ? 0 : b.dim() - 2], column ? 1 : b_sizes.back(),
              b_strides[column ? 0 : b.dim() - 2], column ? 0 : b_strides.back()};
  const Shape batch = BroadcastShape("matmul", BatchSizes(a), BatchSizes(b));
  Shape shape = batch;
  if (!row) shape.push_back(x.rows);
  if (!column) shape.push_back(y.columns);
  Tensor out = Tensor::Empty(shape, a.dtype(), a.device());
  T* z = out.data<T>();
  ForEachElement<2>(batch, {BatchStrides(a, batch), BatchStrides(b, batch)},
                    [&](int64_t p, int64_t q) {
                      x.data = a.data<T>() + p;
                      y.data = b.data<T>() + q;
                      Product(x, y, z);
                      z += x.rows * y.columns;
                    });
  return out;
}

}  // namespace

Tensor Matmul(const Tensor& a, const Tensor& b) {
  CheckSameKind("matmul", a, b);
  CheckShapes(a, b);
  return DispatchNumeric("matmul", a.dtype(),
                         [&](auto zero) { return MatmulOf<decltype(zero)>(a, b); });
}

}  // namespace twingrad::kernels
