#include "autograd/ops/fold.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/pick.h"
#include "autograd/ops/piecewise.h"
#include "autograd/ops/recording.h"
#include "autograd/ops/reduction.h"
#include "autograd/ops/rule_node.h"
#include "autograd/tensor/kernels/arithmetic.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/rearrange.h"
#include "autograd/tensor/kernels/reduce.h"

namespace twingrad::ops {
namespace {

struct ExtremeRule {
  const char* node_name;
  Shape kept;

  std::string_view name() const { return node_name; }
  // `saved`: operand and result.
  Tensor Derivative(size_t, const Tensor& gradient, const Tensor* saved) const {
    const Tensor& a = saved[0];
    const Tensor result = saved[1].AsStrided(kept, ContiguousStrides(kept), 0);
    const Tensor chosen = kernels::Equals(a, result);
    const Tensor count = kernels::SumTo(kernels::Cast(chosen, a.dtype()), kept);
    return Div(Where(chosen, ReshapeTo(gradient, kept), Constant(0, gradient)), count);
  }
};

// A tensor seen as a matrix whose rows are what one element of the result is made of.
struct MatrixView {
  Shape order;    // of the dimensions: kept ones, then reduced ones
  Shape ordered;  // the sizes in that order
  Shape matrix;

  MatrixView(const Tensor& a, absl::Span<const int64_t> dims) : matrix({1, 1}) {
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
  Tensor columns = Tensor::Empty({size * (size - 1)}, DType::kI64, device);
  int64_t* next = columns.data<int64_t>();
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t j = 0; j < size; ++j) {
      if (j != i) *next++ = j;
    }
  }
  return columns;
}

// For each element of a row the product of all others; of quadratic size where it has a derivative
// that may be asked for.
Tensor Others(const Tensor& matrix) {
  const int64_t rows = matrix.sizes()[0], size = matrix.sizes()[1];
  if (size < 2 || !ShouldRecord(matrix)) return kernels::ProductOfOthers(matrix);
  const Tensor others = IndexSelect(matrix, 1, OtherColumns(size, matrix.device()));
  return Prod(ReshapeTo(others, {rows, size, size - 1}), {2}, false);
}

struct ProdRule {
  Shape dims;
  Shape kept;

  std::string_view name() const { return "ProdBackward"; }
  Tensor Derivative(size_t, const Tensor& gradient, const Tensor* saved) const {
    const MatrixView view(saved[0], dims);
    const Tensor others = view.FromMatrix(Others(view.ToMatrix(saved[0])));
    return Mul(ReshapeTo(gradient, kept), others);
  }
};

Tensor Extreme(const char* op, const char* node_name, const Tensor& a,
               absl::Span<const int64_t> dims, bool keepdim,
               Tensor (*kernel)(const Tensor&, absl::Span<const int64_t>, bool)) {
  CheckDefined(op, a);
  for (int64_t d = 0; d < a.dim(); ++d) {
    if (!IsReduced(dims, d) || a.sizes()[d] != 0) continue;
    throw Error(ErrorKind::kShape,
                absl::StrCat("[", op, "] dimension ", d, " of ", ShapeToString(a.sizes()),
                             " has size 0; there must be an element to pick"));
  }
  Tensor result = kernel(a, dims, keepdim);
  if (ShouldRecord(a)) {
    const auto node = Record(ExtremeRule{node_name, KeptShape(a, dims)}, result, {&a});
    node->Save(a);
    node->SaveResult(result);
  }
  return result;
}

}  // namespace

Tensor Prod(const Tensor& a, absl::Span<const int64_t> dims, bool keepdim) {
  CheckDefined("prod", a);
  Tensor result = kernels::Prod(a, dims, keepdim);
  if (ShouldRecord(a)) {
    Record(ProdRule{Shape(dims.begin(), dims.end()), KeptShape(a, dims)}, result, {&a})->Save(a);
  }
  return result;
}

Tensor Amax(const Tensor& a, absl::Span<const int64_t> dims, bool keepdim) {
  return Extreme("amax", "AmaxBackward", a, dims, keepdim, kernels::Amax);
}

Tensor Amin(const Tensor& a, absl::Span<const int64_t> dims, bool keepdim) {
  return Extreme("amin", "AminBackward", a, dims, keepdim, kernels::Amin);
}

}  // namespace twingrad::ops
