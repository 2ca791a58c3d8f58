#include "autograd/ops/pick.h"

#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/ops/geometry.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/recording.h"
#include "autograd/ops/rule_node.h"
#include "autograd/tensor/kernels/rearrange.h"

namespace twingrad::ops {
namespace {

Shape SizesOf(const Tensor& a) { return Shape(a.sizes().begin(), a.sizes().end()); }

Tensor ZerosLike(const Tensor& gradient, const Shape& sizes) {
  return Tensor::Zeros(sizes, gradient.dtype(), gradient.device());
}

// The list `index` as it stands beside a tensor of `shape`: repeated in all dimensions but `dim`.
Tensor Repeated(const Tensor& index, const Shape& shape, int64_t dim) {
  Shape strides(shape.size(), 0);
  strides[dim] = index.strides()[0];
  return index.AsStrided(shape, strides, index.storage_offset());
}

struct FlipRule {
  Shape dims;

  std::string_view name() const { return "FlipBackward"; }
  Tensor Derivative(size_t, const Tensor& gradient, const Tensor*) const {
    return Flip(gradient, dims);
  }
};

struct IndexSelectRule {
  int64_t dim;
  Shape sizes;  // of the operand

  std::string_view name() const { return "IndexSelectBackward"; }
  Tensor Derivative(size_t, const Tensor& gradient, const Tensor* index) const {
    return ScatterAdd(ZerosLike(gradient, sizes), dim, Repeated(index[0], SizesOf(gradient), dim),
                      gradient);
  }
};

// gather and sort.
struct GatherRule {
  const char* node_name;
  int64_t dim;
  Shape sizes;

  std::string_view name() const { return node_name; }
  Tensor Derivative(size_t, const Tensor& gradient, const Tensor* index) const {
    return ScatterAdd(ZerosLike(gradient, sizes), dim, index[0], gradient);
  }
};

// max and min; the index keeps the dimension.
struct ExtremeRule {
  const char* node_name;
  int64_t dim;
  Shape sizes;

  std::string_view name() const { return node_name; }
  Tensor Derivative(size_t, const Tensor& gradient, const Tensor* index) const {
    return ScatterAdd(ZerosLike(gradient, sizes), dim, index[0],
                      ReshapeTo(gradient, index[0].sizes()));
  }
};

struct ScatterAddRule {
  int64_t dim;

  std::string_view name() const { return "ScatterAddBackward"; }
  Tensor Derivative(size_t operand, const Tensor& gradient, const Tensor* index) const {
    return operand == 0 ? gradient : Gather(gradient, dim, index[0]);
  }
};

Tensor RunningSum(const Tensor& a, int64_t dim, bool reverse);

struct CumsumRule {
  int64_t dim;
  bool reverse;

  std::string_view name() const { return "CumsumBackward"; }
  Tensor Derivative(size_t, const Tensor& gradient, const Tensor*) const {
    return RunningSum(gradient, dim, !reverse);
  }
};

Tensor RunningSum(const Tensor& a, int64_t dim, bool reverse) {
  Tensor result = kernels::Cumsum(a, dim, reverse);
  if (ShouldRecord(a)) Record(CumsumRule{dim, reverse}, result, {&a});
  return result;
}

void CheckIndices(const char* op, const Tensor& a, int64_t dim, const Tensor& index) {
  CheckDefined(op, a);
  CheckDefined(op, index);
  CheckDim(op, dim, a.dim());
  bool fits = index.dim() == a.dim();
  for (int64_t d = 0; fits && d < a.dim(); ++d) {
    fits = d == dim || index.sizes()[d] <= a.sizes()[d];
  }
  if (fits) return;
  throw Error(
      ErrorKind::kShape,
      absl::StrCat("[", op, "] indices of shape ", ShapeToString(index.sizes()),
                   " for a tensor of shape ", ShapeToString(a.sizes()),
                   "; the rank must be equal and no size larger but along dimension ", dim));
}

Tensor SortedBy(const Tensor& a, int64_t dim, kernels::Sorted sorted) {
  if (ShouldRecord(a)) {
    Record(GatherRule{"SortBackward", dim, SizesOf(a)}, sorted.values, {&a})->Save(sorted.indices);
  }
  return sorted.values;
}

// Without the dimension that the index keeps.
Tensor Dropped(const Tensor& kept, int64_t dim, bool keepdim) {
  if (keepdim) return kept;
  Shape sizes = SizesOf(kept);
  sizes.erase(sizes.begin() + dim);
  return kept.AsStrided(sizes, ContiguousStrides(sizes), 0);
}

Tensor IndexOf(const char* op, const Tensor& a, int64_t dim, bool least) {
  CheckDefined(op, a);
  CheckDim(op, dim, a.dim());
  if (a.sizes()[dim] == 0) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[", op, "] dimension ", dim, " of ", ShapeToString(a.sizes()),
                             " has size 0; there must be an element to pick"));
  }
  return kernels::ExtremeIndex(a, dim, least);
}

Tensor Extreme(const char* op, const char* node_name, const Tensor& a, int64_t dim, bool keepdim,
               bool least) {
  const Tensor index = IndexOf(op, a, dim, least);
  Tensor result = Dropped(kernels::Gather(a, dim, index), dim, keepdim);
  if (ShouldRecord(a)) Record(ExtremeRule{node_name, dim, SizesOf(a)}, result, {&a})->Save(index);
  return result;
}

}  // namespace

Tensor Flip(const Tensor& a, absl::Span<const int64_t> dims) {
  CheckDefined("flip", a);
  for (const int64_t d : dims) CheckDim("flip", d, a.dim());
  Tensor result = kernels::Flip(a, dims);
  if (ShouldRecord(a)) Record(FlipRule{Shape(dims.begin(), dims.end())}, result, {&a});
  return result;
}

Tensor IndexSelect(const Tensor& a, int64_t dim, const Tensor& index) {
  CheckDefined("index_select", a);
  CheckDefined("index_select", index);
  CheckDim("index_select", dim, a.dim());
  if (index.dim() != 1) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[index_select] indices of shape ", ShapeToString(index.sizes()),
                             "; they must be a list, of rank 1"));
  }
  Shape sizes = SizesOf(a);
  sizes[dim] = index.sizes()[0];
  Tensor result = kernels::Gather(a, dim, Repeated(index, sizes, dim), "index_select");
  if (ShouldRecord(a)) Record(IndexSelectRule{dim, SizesOf(a)}, result, {&a})->Save(index);
  return result;
}

Tensor Gather(const Tensor& a, int64_t dim, const Tensor& index) {
  CheckIndices("gather", a, dim, index);
  Tensor result = kernels::Gather(a, dim, index);
  if (ShouldRecord(a)) {
    Record(GatherRule{"GatherBackward", dim, SizesOf(a)}, result, {&a})->Save(index);
  }
  return result;
}

Tensor ScatterAdd(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source) {
  CheckIndices("scatter_add", a, dim, index);
  CheckDefined("scatter_add", source);
  if (source.sizes() != index.sizes()) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[scatter_add] source of shape ", ShapeToString(source.sizes()),
                             " with indices of shape ", ShapeToString(index.sizes()),
                             "; they must be equal"));
  }
  Tensor result = kernels::ScatterAdd(a, dim, index, source);
  if (ShouldRecord(a, source)) {
    const auto node = Record(ScatterAddRule{dim}, result, {&a, &source});
    if (node->next_edge(1).is_valid()) node->Save(index);
  }
  return result;
}

Tensor Sort(const Tensor& a, int64_t dim, bool descending) {
  CheckDefined("sort", a);
  CheckDim("sort", dim, a.dim());
  return SortedBy(a, dim, kernels::Sort(a, dim, descending));
}

Tensor Argsort(const Tensor& a, int64_t dim, bool descending) {
  CheckDefined("argsort", a);
  CheckDim("argsort", dim, a.dim());
  return kernels::Sort(a, dim, descending).indices;
}

Tensor Max(const Tensor& a, int64_t dim, bool keepdim) {
  return Extreme("max", "MaxBackward", a, dim, keepdim, /*least=*/false);
}
Tensor Min(const Tensor& a, int64_t dim, bool keepdim) {
  return Extreme("min", "MinBackward", a, dim, keepdim, /*least=*/true);
}
Tensor Argmax(const Tensor& a, int64_t dim, bool keepdim) {
  return Dropped(IndexOf("argmax", a, dim, /*least=*/false), dim, keepdim);
}
Tensor Argmin(const Tensor& a, int64_t dim, bool keepdim) {
  return Dropped(IndexOf("argmin", a, dim, /*least=*/true), dim, keepdim);
}

Tensor Cumsum(const Tensor& a, int64_t dim) {
  CheckDefined("cumsum", a);
  CheckDim("cumsum", dim, a.dim());
  return RunningSum(a, dim, /*reverse=*/false);
}

}  // namespace twingrad::ops
