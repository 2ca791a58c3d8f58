#include "autograd/ops/view.h"

#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/graph/view.h"
#include "autograd/ops/geometry.h"
#include "autograd/ops/layout_nodes.h"
#include "autograd/ops/recording.h"
#include "autograd/tensor/kernels/copy.h"

namespace twingrad::ops {
namespace {

// The view of `a` with this geometry; make_node(edge) makes the node where it records.
template <typename MakeTheNode>
Tensor ViewOf(const Tensor& a, const Geometry& g, MakeTheNode&& make_node) {
  NodePtr node;
  if (ShouldRecord(a)) node = make_node(GradientEdge(a));
  return MakeView(a, g.sizes, g.strides, g.offset, std::move(node));
}

Tensor ReshapedView(const Tensor& a, const Geometry& g, const char* node_name) {
  return ViewOf(a, g, [&](Edge edge) {
    return MakeNode<ReshapeNode>(node_name, std::move(edge), a.sizes());
  });
}

Tensor PermutedView(const Tensor& a, Ints dims, const char* node_name) {
  return ViewOf(a, PermutedGeometry(a, dims),
                [&](Edge edge) { return MakeNode<PermuteNode>(node_name, std::move(edge), dims); });
}

Tensor PartView(const Tensor& a, const Part& part, const char* node_name) {
  return ViewOf(a, PartGeometry(a, part),
                [&](Edge edge) { return MakeNode<PartNode>(node_name, std::move(edge), part); });
}

}  // namespace

Tensor View(const Tensor& a, absl::Span<const int64_t> shape) {
  CheckDefined("view", a);
  return ReshapedView(a, ReshapedGeometry(a, shape), "ViewBackward");
}

Tensor Reshape(const Tensor& a, absl::Span<const int64_t> shape) {
  CheckDefined("reshape", a);
  if (a.IsContiguous()) return ReshapedView(a, ReshapedGeometry(a, shape), "ReshapeBackward");
  CheckElementCount("reshape", a, shape);
  const Tensor rows = kernels::Clone(a);
  const Geometry g = ReshapedGeometry(rows, shape);
  Tensor result = rows.AsStrided(g.sizes, g.strides, g.offset);
  if (ShouldRecord(a)) {
    SetHistory(result, MakeNode<ReshapeNode>("ReshapeBackward", GradientEdge(a), a.sizes()));
  }
  return result;
}

Tensor Transpose(const Tensor& a, int64_t dim0, int64_t dim1) {
  CheckDefined("transpose", a);
  if (dim0 < 0 || dim0 >= a.dim() || dim1 < 0 || dim1 >= a.dim()) {
    throw Error(ErrorKind::kIndex,
                absl::StrCat("[transpose] dimensions ", dim0, " and ", dim1,
                             " of a tensor of rank ", a.dim(), "; 0 to rank - 1 are allowed"));
  }
  Shape dims(a.sizes().size());
  std::iota(dims.begin(), dims.end(), 0);
  std::swap(dims[dim0], dims[dim1]);
  return PermutedView(a, dims, "TransposeBackward");
}

Tensor Permute(const Tensor& a, absl::Span<const int64_t> dims) {
  CheckDefined("permute", a);
  return PermutedView(a, dims, "PermuteBackward");
}

Tensor Expand(const Tensor& a, absl::Span<const int64_t> shape) {
  CheckDefined("expand", a);
  return ViewOf(a, ExpandedGeometry(a, shape), [&](Edge edge) {
    return MakeNode<ExpandNode>("ExpandBackward", std::move(edge), a.sizes());
  });
}

Tensor Select(const Tensor& a, int64_t dim, int64_t index) {
  CheckDefined("select", a);
  return PartView(a, SelectedPart(a, dim, index), "SelectBackward");
}

Tensor Slice(const Tensor& a, int64_t dim, int64_t start, int64_t stop, int64_t step) {
  CheckDefined("slice", a);
  return PartView(a, SlicedPart(a, dim, start, stop, step), "SliceBackward");
}

Tensor Squeeze(const Tensor& a, absl::Span<const int64_t> dims) {
  CheckDefined("squeeze", a);
  return ReshapedView(a, SqueezedGeometry(a, dims), "SqueezeBackward");
}

Tensor Unsqueeze(const Tensor& a, int64_t dim) {
  CheckDefined("unsqueeze", a);
  return ReshapedView(a, UnsqueezedGeometry(a, dim), "UnsqueezeBackward");
}

}  // namespace twingrad::ops
