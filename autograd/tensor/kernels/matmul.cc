#include "autograd/tensor/kernels/matmul.h"

#include <algorithm>
#include <tuple>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/narrow.h"
#include "autograd/tensor/kernels/numbers.h"
#include "autograd/tensor/kernels/processor/loops.h"
#include "autograd/tensor/kernels/processor/products.h"
#include "autograd/tensor/kernels/remote_bodies.h"

namespace twingrad::kernels {
namespace {

// One matrix of a batch.
using processor::Matrix;

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

// A step that is never taken becomes one that any library reads.
template <typename T>
void SettleSteps(Matrix<T>& m) {
  if (m.columns == 1) m.column_step = 1;
  if (m.rows == 1) m.row_step = m.column_step == 1 ? m.columns : 1;
}

template <typename T>
bool IsLarge(const Matrix<T>& a, const Matrix<T>& b) {
  return std::is_floating_point_v<T> &&
         processor::IsWorth(a.rows * a.columns * b.columns, kMatmulVectorSize);
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

// The last two dimensions; of a vector a row on the left, a column on the right.
template <typename T>
Matrix<T> MatrixOf(const Tensor& t, bool left) {
  const Ints sizes = t.sizes(), strides = t.strides();
  Matrix<T> m{nullptr, 1, 1, 0, 0};
  const size_t last = sizes.size() - 1;
  if (last > 0) {
    m = {nullptr, sizes[last - 1], sizes[last], strides[last - 1], strides[last]};
  } else if (left) {
    m = {nullptr, 1, sizes[0], 0, strides[0]};
  } else {
    m = {nullptr, sizes[0], 1, strides[0], 0};
  }
  SettleSteps(m);
  return m;
}

// Over the rows of x and the columns of y, of each product of a batch.
template <typename T>
OffsetWalk<2> WalkOverProducts(const Tensor& a, const Matrix<T>& x, const Tensor& b,
                               const Matrix<T>& y, Ints batch) {
  Shape sizes(batch.begin(), batch.end());
  Shape a_strides = BatchStrides(a, batch), b_strides = BatchStrides(b, batch);
  for (const auto& [size, a_step, b_step] : {std::tuple(x.rows, x.row_step, int64_t{0}),
                                             std::tuple(y.columns, int64_t{0}, y.column_step)}) {
    sizes.push_back(size);
    a_strides.push_back(a_step);
    b_strides.push_back(b_step);
  }
  return WalkOver<2>("matmul", a.device(), sizes, {a_strides, b_strides});
}

// The products of a batch of x and y, into `out`.
template <typename T>
[[gnu::noinline, gnu::cold]] void MultiplyRemote(const Tensor& a, const Matrix<T>& x,
                                                 const Tensor& b, const Matrix<T>& y, Ints batch,
                                                 const Tensor& out) {
  const MatmulBody<MulNumber, AddNumber, T> body{Address<T>(a),
                                                 Address<T>(b),
                                                 Address<T>(out),
                                                 x.columns,
                                                 x.column_step,
                                                 y.row_step,
                                                 WalkOverProducts(a, x, b, y, batch)};
  RunRemote("matmul", body, out.numel(), {&out}, {&a, &b});
}

template <typename T>
Tensor TriangularMatmulOf(const Tensor& a, const Tensor& b, bool upper) {
  const Matrix<T> x = MatrixOf<T>(a, true), y = MatrixOf<T>(b, false);
  const Ints batch = BatchSizes(a);
  Shape shape(batch.begin(), batch.end());
  shape.push_back(x.rows);
  shape.push_back(y.columns);
  Tensor out = Tensor::Empty(shape, a.dtype(), a.device());
  const TriangularMatmulBody<MulNumber, AddNumber, T> body{
      ToRead<T>(a), ToRead<T>(b), ToWrite<T>(out), x.columns, x.column_step,
      y.row_step,   x.rows,       y.columns,       upper,     WalkOverProducts(a, x, b, y, batch)};
  RunBody("matmul", body, out.numel(), {&out}, {&a, &b});
  return out;
}

template <typename T>
Tensor MatmulOf(const Tensor& a, const Tensor& b) {
  Matrix<T> x = MatrixOf<T>(a, true), y = MatrixOf<T>(b, false);
  const bool large = IsLarge(x, y) && !IsRemote(a);
  if (large && !processor::IsMultiplied(x)) return MatmulOf<T>(Clone(a), b);
  if (large && !processor::IsMultiplied(y)) return MatmulOf<T>(a, Clone(b));
  const Shape batch = BroadcastShape("matmul", BatchSizes(a), BatchSizes(b));
  Shape shape = batch;
  if (a.dim() > 1) shape.push_back(x.rows);
  if (b.dim() > 1) shape.push_back(y.columns);
  Tensor out = Tensor::Empty(shape, a.dtype(), a.device());
  if (IsRemote(a)) [[unlikely]] {
    MultiplyRemote(a, x, b, y, batch, out);
    return out;
  }
  T* z = out.mutable_data<T>();
  ForEachElement<2>(batch, {BatchStrides(a, batch), BatchStrides(b, batch)},
                    [&](int64_t p, int64_t q) {
                      x.data = a.data<T>() + p;
                      y.data = b.data<T>() + q;
                      if constexpr (std::is_floating_point_v<T>) {
                        large ? processor::Multiply(x, y, z) : SmallProduct(x, y, z);
                      } else {
                        SmallProduct(x, y, z);
                      }
                      z += x.rows * y.columns;
                    });
  return out;
}

}  // namespace

Tensor Matmul(const Tensor& a, const Tensor& b) {
  CheckSameKind("matmul", a, b);
  CheckShapes(a, b);
  if (IsNarrow(a.dtype())) return Widely(Matmul, a, b);
  return DispatchNumeric("matmul", a.dtype(),
                         [&](auto zero) { return MatmulOf<decltype(zero)>(a, b); });
}

Tensor TriangularMatmul(const Tensor& a, const Tensor& b, bool upper) {
  CheckSameKind("matmul", a, b);
  CheckShapes(a, b);
  return DispatchFloating("matmul", a.dtype(), [&](auto zero) {
    return TriangularMatmulOf<decltype(zero)>(a, b, upper);
  });
}

}  // namespace twingrad::kernels
