#include "autograd/ops/reduction.h"

#include <algorithm>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/broadcast.h"
#include "autograd/ops/geometry.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/piecewise.h"
#include "autograd/ops/rearrange.h"
#include "autograd/ops/recording.h"
#include "autograd/tensor/kernels/kernels.h"
#include "autograd/tensor/kernels/narrow.h"

namespace twingrad::ops {
namespace {

// How many elements of `a` make one of the result.
double CountOf(const Tensor& a, Ints dims) {
  double count = 1;
  for (int64_t d = 0; d < a.dim(); ++d) {
    if (IsReduced(dims, d)) count *= static_cast<double>(a.sizes()[d]);
  }
  return count;
}

// A tensor seen as a matrix whose rows are what one element of the result is made of.
struct MatrixView {
  Shape order;    // of the dimensions: kept ones, then reduced ones
  Shape ordered;  // the sizes in that order
  Shape matrix;

  MatrixView(const Tensor& a, Ints dims) : matrix({1, 1}) {
    for (const bool reduced : {false, true}) {
      for (int64_t d = 0; d < a.dim(); ++d) {
        if (IsReduced(dims, d) != reduced) continue;
        order.push_back(d);
        ordered.push_back(a.sizes()[d]);
        matrix[reduced ? 1 : 0] *= a.sizes()[d];
      }
    }
  }
  Tensor ToMatrix(const Tensor& a) const { return ReshapeTo(PermuteTo(a, order), matrix); }
  Tensor FromMatrix(const Tensor& m) const {
    return PermuteTo(ReshapeTo(m, ordered), InversePermutation(order));
  }
};

// By row and column of a matrix with `size` columns: the columns other than this one.
Tensor OtherColumns(int64_t size, Device device) {
  Tensor columns = Tensor::Empty({size * (size - 1)}, DType::kI64, kernels::HostSide(device));
  int64_t* next = columns.mutable_data<int64_t>();
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t j = 0; j < size; ++j) {
      if (j != i) *next++ = j;
    }
  }
  return kernels::MovedTo(columns, device);
}

// For each element of a row the product of all others; of quadratic size where it has a derivative
// that may be asked for.
Tensor Others(const Tensor& matrix) {
  const int64_t rows = matrix.sizes()[0], size = matrix.sizes()[1];
  if (size < 2 || !ShouldRecord(matrix)) return kernels::ProductOfOthers(matrix);
  const Tensor others = IndexSelect(matrix, 1, OtherColumns(size, matrix.device()));
  return Prod(ReshapeTo(others, {rows, size, size - 1}), {2}, false);
}

// `mean`, or the nearest number from `least` to `most` where roundings have led beyond.
Tensor Between(const Tensor& mean, const Tensor& least, const Tensor& most) {
  return kernels::Maximum(least, kernels::Minimum(mean, most));
}

// g times a by its length, which is 0 where all of a is 0.
Tensor AlongUnit(const Tensor& g, const Tensor& a, const Tensor& length) {
  const Tensor is_zero = kernels::IsZero(length);
  const Tensor unit = Div(a, Where(is_zero, Constant(1, length), length));
  return Where(is_zero, Constant(0, g), Mul(g, unit));
}

Tensor Extreme(const char* op, const char* node_name, const Tensor& a, Ints dims, bool keepdim,
               Tensor (*kernel)(const Tensor&, Ints, bool)) {
  CheckDefined(op, a);
  for (int64_t d = 0; d < a.dim(); ++d) {
    if (IsReduced(dims, d)) CheckNotEmpty(op, a, d);
  }
  Tensor result = kernel(a, dims, keepdim);
  if (ShouldRecord(a)) {
    Record<2>(
        node_name, result, a,
        [kept = KeptShape(a, dims)](const Tensor& g, const Tensor* a_and_result) {
          const Tensor chosen = kernels::Equals(a_and_result[0], WithShape(a_and_result[1], kept));
          const Tensor count = kernels::SumTo(kernels::Cast(chosen, a_and_result[0].dtype()), kept);
          return Div(Where(chosen, ReshapeTo(g, kept), Constant(0, g)), count);
        })
        ->Save(a)
        ->SaveResult(result);
  }
  return result;
}

}  // namespace

Tensor SumValues(const Tensor& a, Ints dims, bool keepdim) {
  return dims.empty() ? kernels::SumAll(a, keepdim) : kernels::Sum(a, dims, keepdim);
}

bool IsReduced(Ints dims, int64_t d) {
  return dims.empty() || std::find(dims.begin(), dims.end(), d) != dims.end();
}

Shape KeptShape(const Tensor& a, Ints dims) {
  Shape kept = SizesOf(a);
  for (int64_t d = 0; d < a.dim(); ++d) {
    if (IsReduced(dims, d)) kept[d] = 1;
  }
  return kept;
}

Tensor Sum(const Tensor& a, Ints dims, bool keepdim) {
  CheckDefined("sum", a);
  Tensor result = SumValues(a, dims, keepdim);
  if (ShouldRecord(a)) {
    Record("SumBackward", result, a,
           [kept = KeptShape(a, dims), sizes = SizesOf(a)](const Tensor& g) {
             return ExpandTo(ReshapeTo(g, kept), sizes);
           });
  }
  return result;
}

Tensor Mean(const Tensor& a, Ints dims, bool keepdim) {
  CheckDefined("mean", a);
  const double count = CountOf(a, dims);
  const Tensor sum = SumValues(kernels::Widened(a), dims, keepdim);
  Tensor result = kernels::Narrowed(kernels::Div(sum, Constant(count, sum)), a.dtype());
  if (ShouldRecord(a)) {
    // A mean over nothing has no part to hand out; infinity would make NaN of further derivatives.
    Record("MeanBackward", result, a,
           [count, kept = KeptShape(a, dims), sizes = SizesOf(a)](const Tensor& g) {
             // 1 by the count may be beyond a short type.
             const Tensor share = Widely(
                 g, [&](const Tensor& h) { return count == 0 ? h : Div(h, Constant(count, h)); });
             return ExpandTo(ReshapeTo(share, kept), sizes);
           });
  }
  return result;
}

Tensor Var(const Tensor& a, Ints dims, bool keepdim) {
  CheckDefined("var", a);
  const double count = CountOf(a, dims);
  const Tensor x = kernels::Widened(a), sum = SumValues(x, dims, /*keepdim=*/true);
  const Tensor apart = kernels::Sub(x, kernels::Div(sum, Constant(count, sum)));
  const Tensor squares = SumValues(kernels::Mul(apart, apart), dims, keepdim);
  Tensor result = kernels::Narrowed(kernels::Div(squares, Constant(count, squares)), a.dtype());
  if (ShouldRecord(a)) {
    Record<1>("VarBackward", result, a,
              [count, dims = Shape(dims.begin(), dims.end()), kept = KeptShape(a, dims)](
                  const Tensor& g, const Tensor* operand) {
                const Tensor share = count == 0 ? g : Div(g, Constant(count, g));
                const Tensor distance = Sub(operand[0], Mean(operand[0], dims, true));
                return Mul(ReshapeTo(share, kept), Mul(Constant(2, distance), distance));
              })
        ->Save(a);
  }
  return result;
}

Tensor Std(const Tensor& a, Ints dims, bool keepdim) {
  CheckDefined("std", a);
  const double count = CountOf(a, dims);
  const Tensor x = kernels::Widened(a), sum = SumValues(x, dims, /*keepdim=*/true);
  Tensor mean = kernels::Div(sum, Constant(count, sum));
  if (count > 0) mean = Between(mean, kernels::Amin(x, dims, true), kernels::Amax(x, dims, true));
  const Tensor apart = kernels::Sub(x, mean);
  const Tensor squares = SumValues(kernels::Mul(apart, apart), dims, keepdim);
  const Tensor variance = kernels::Div(squares, Constant(count, squares));
  Tensor result = kernels::Narrowed(kernels::Each<kernels::SqrtNumber>(variance), a.dtype());
  if (ShouldRecord(a)) {
    Record<2>("StdBackward", result, a,
              [count, dims = Shape(dims.begin(), dims.end()), kept = KeptShape(a, dims)](
                  const Tensor& g, const Tensor* a_and_result) {
                const Tensor& all = a_and_result[0];
                const Tensor distance = Sub(all, Mean(all, dims, true));
                const Tensor share = count == 0 ? g : Div(g, Constant(count, g));
                return AlongUnit(ReshapeTo(share, kept), distance,
                                 ReshapeTo(a_and_result[1], kept));
              })
        ->Save(a)
        ->SaveResult(result);
  }
  return result;
}

Tensor Norm(const Tensor& a, Ints dims, bool keepdim) {
  CheckDefined("norm", a);
  const Tensor x = kernels::Widened(a), squares = SumValues(kernels::Mul(x, x), dims, keepdim);
  Tensor result = kernels::Narrowed(kernels::Each<kernels::SqrtNumber>(squares), a.dtype());
  if (ShouldRecord(a)) {
    Record<2>("NormBackward", result, a,
              [kept = KeptShape(a, dims)](const Tensor& g, const Tensor* a_and_result) {
                return AlongUnit(ReshapeTo(g, kept), a_and_result[0],
                                 ReshapeTo(a_and_result[1], kept));
              })
        ->Save(a)
        ->SaveResult(result);
  }
  return result;
}

Tensor Prod(const Tensor& a, Ints dims, bool keepdim) {
  CheckDefined("prod", a);
  Tensor result = kernels::Prod(a, dims, keepdim);
  if (ShouldRecord(a)) {
    Record<1>("ProdBackward", result, a,
              [dims = Shape(dims.begin(), dims.end()), kept = KeptShape(a, dims)](
                  const Tensor& g, const Tensor* operand) {
                const MatrixView view(operand[0], dims);
                const Tensor others = view.FromMatrix(Others(view.ToMatrix(operand[0])));
                return Mul(ReshapeTo(g, kept), others);
              })
        ->Save(a);
  }
  return result;
}

Tensor Amax(const Tensor& a, Ints dims, bool keepdim) {
  return Extreme("amax", "AmaxBackward", a, dims, keepdim, kernels::Amax);
}

Tensor Amin(const Tensor& a, Ints dims, bool keepdim) {
  return Extreme("amin", "AminBackward", a, dims, keepdim, kernels::Amin);
}

}  // namespace twingrad::ops
