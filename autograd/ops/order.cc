#include "autograd/ops/order.h"

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/ops/geometry.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/recording.h"
#include "autograd/ops/taken.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/rearrange.h"

namespace twingrad::ops {
namespace {

// Without the dimension that the index keeps.
Tensor Dropped(const Tensor& kept, int64_t dim, bool keepdim) {
  if (keepdim) return kept;
  Shape sizes = SizesOf(kept);
  sizes.erase(sizes.begin() + dim);
  return WithShape(kept, sizes);
}

Tensor IndexOf(const char* op, const Tensor& a, int64_t dim, bool least) {
  CheckDimOf(op, a, dim);
  CheckNotEmpty(op, a, dim);
  return kernels::ExtremeIndex(a, dim, least);
}

// The indices keep `dim` in any case.
ValuesAndIndices Extreme(const char* op, const char* node_name, const Tensor& a, int64_t dim,
                         bool keepdim, bool least) {
  const Tensor index = IndexOf(op, a, dim, least);
  Tensor result = Dropped(kernels::Gather(a, dim, index), dim, keepdim);
  RecordTaken(node_name, a, dim, index, result);
  return {result, index};
}

// What an index of the result's shape picks.
ValuesAndIndices PickedBy(const char* op, const char* node_name, const Tensor& a, int64_t dim,
                          const Tensor& index) {
  Tensor result = kernels::Gather(a, dim, index, op);
  RecordTaken(node_name, a, dim, index, result);
  return {result, index};
}

}  // namespace

ValuesAndIndices SortWithIndices(const Tensor& a, int64_t dim, bool descending) {
  CheckDimOf("sort", a, dim);
  const kernels::Sorted sorted = kernels::Sort(a, dim, descending);
  RecordTaken("SortBackward", a, dim, sorted.indices, sorted.values);
  return {sorted.values, sorted.indices};
}
Tensor Sort(const Tensor& a, int64_t dim, bool descending) {
  return SortWithIndices(a, dim, descending).values;
}

Tensor Argsort(const Tensor& a, int64_t dim, bool descending) {
  CheckDimOf("argsort", a, dim);
  return kernels::Sort(a, dim, descending).indices;
}

ValuesAndIndices TopkWithIndices(const Tensor& a, int64_t dim, int64_t count) {
  return PickedBy("topk", "TopkBackward", a, dim, TopkIndices(a, dim, count));
}
Tensor Topk(const Tensor& a, int64_t dim, int64_t count) {
  return TopkWithIndices(a, dim, count).values;
}

Tensor TopkIndices(const Tensor& a, int64_t dim, int64_t count) {
  CheckDimOf("topk", a, dim);
  if (count < 0 || count > a.sizes()[dim]) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[topk] ", count, " entries of dimension ", dim, " of ",
                             ShapeToString(a.sizes()), "; 0 to its size are allowed"));
  }
  const Tensor all = kernels::Sort(a, dim, /*descending=*/true).indices;
  return kernels::Clone(Alias(all, PartGeometry(all, {SizesOf(a), dim, 0, 1, count, false})));
}

ValuesAndIndices CummaxWithIndices(const Tensor& a, int64_t dim) {
  return PickedBy("cummax", "CummaxBackward", a, dim, CummaxIndices(a, dim));
}
ValuesAndIndices CumminWithIndices(const Tensor& a, int64_t dim) {
  return PickedBy("cummin", "CumminBackward", a, dim, CumminIndices(a, dim));
}
Tensor Cummax(const Tensor& a, int64_t dim) { return CummaxWithIndices(a, dim).values; }
Tensor Cummin(const Tensor& a, int64_t dim) { return CumminWithIndices(a, dim).values; }
Tensor CummaxIndices(const Tensor& a, int64_t dim) {
  CheckDimOf("cummax", a, dim);
  return kernels::RunningExtremeIndex(a, dim, /*least=*/false);
}
Tensor CumminIndices(const Tensor& a, int64_t dim) {
  CheckDimOf("cummin", a, dim);
  return kernels::RunningExtremeIndex(a, dim, /*least=*/true);
}

Tensor Max(const Tensor& a, int64_t dim, bool keepdim) {
  return Extreme("max", "MaxBackward", a, dim, keepdim, /*least=*/false).values;
}
Tensor Min(const Tensor& a, int64_t dim, bool keepdim) {
  return Extreme("min", "MinBackward", a, dim, keepdim, /*least=*/true).values;
}
ValuesAndIndices MaxWithIndices(const Tensor& a, int64_t dim, bool keepdim) {
  const ValuesAndIndices max = Extreme("max", "MaxBackward", a, dim, keepdim, /*least=*/false);
  return {max.values, Dropped(max.indices, dim, keepdim)};
}
ValuesAndIndices MinWithIndices(const Tensor& a, int64_t dim, bool keepdim) {
  const ValuesAndIndices min = Extreme("min", "MinBackward", a, dim, keepdim, /*least=*/true);
  return {min.values, Dropped(min.indices, dim, keepdim)};
}
Tensor Argmax(const Tensor& a, int64_t dim, bool keepdim) {
  return Dropped(IndexOf("argmax", a, dim, /*least=*/false), dim, keepdim);
}
Tensor Argmin(const Tensor& a, int64_t dim, bool keepdim) {
  return Dropped(IndexOf("argmin", a, dim, /*least=*/true), dim, keepdim);
}

}  // namespace twingrad::ops
