#include "autograd/ops/layout.h"

#include <numeric>
#include <utility>

#include "autograd/ops/layout_nodes.h"
#include "autograd/ops/recording.h"
#include "autograd/tensor/kernels/copy.h"

namespace twingrad::ops {
namespace {

Tensor Alias(const Tensor& a, const Geometry& g) {
  return a.AsStrided(g.sizes, g.strides, g.offset);
}

}  // namespace

Tensor ReshapeTo(const Tensor& a, absl::Span<const int64_t> shape) {
  if (a.sizes() == shape) return a;
  CheckElementCount("reshape", a, shape);
  const Tensor rows = a.IsContiguous() ? a : kernels::Clone(a);
  Tensor result = Alias(rows, ReshapedGeometry(rows, shape));
  if (ShouldRecord(a)) {
    SetHistory(result, MakeNode<ReshapeNode>("ReshapeBackward", GradientEdge(a), a.sizes()));
  }
  return result;
}

Tensor PermuteTo(const Tensor& a, absl::Span<const int64_t> dims) {
  Tensor result = Alias(a, PermutedGeometry(a, dims));
  if (ShouldRecord(a)) {
    SetHistory(result, MakeNode<PermuteNode>("PermuteBackward", GradientEdge(a), dims));
  }
  return result;
}

Tensor TransposeLast(const Tensor& a) {
  Shape dims(a.sizes().size());
  std::iota(dims.begin(), dims.end(), 0);
  std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
  return PermuteTo(a, dims);
}

Tensor TakePart(const Tensor& a, const Part& place) {
  Tensor result = Alias(a, PartGeometry(a, place));
  if (ShouldRecord(a)) {
    SetHistory(result, MakeNode<PartNode>("TakePartBackward", GradientEdge(a), place));
  }
  return result;
}

Tensor EmbedPart(const Tensor& part, const Part& place) {
  Tensor result = Tensor::Zeros(place.whole, part.dtype(), part.device());
  Tensor target = Alias(result, PartGeometry(result, place));
  kernels::CopyInto(target, part);
  if (ShouldRecord(part)) {
    SetHistory(result, MakeNode<EmbedNode>("EmbedPartBackward", GradientEdge(part), place));
  }
  return result;
}

}  // namespace twingrad::ops
