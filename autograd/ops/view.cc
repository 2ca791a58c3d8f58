#include "autograd/ops/view.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/graph/view.h"
#include "autograd/ops/broadcast.h"
#include "autograd/ops/geometry.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/recording.h"

namespace twingrad::ops {
namespace {

// The view of `a` with this geometry; where it records, make_derivative() undoes the move.
template <typename MakeDerivative>
Tensor ViewOf(const char* node_name, const Tensor& a, const Geometry& g,
              MakeDerivative&& make_derivative) {
  NodePtr node;
  if (ShouldRecord(a)) node = MakeDerivativeNode(node_name, a, make_derivative());
  return MakeView(a, g.sizes, g.strides, g.offset, std::move(node));
}

Tensor ReshapedView(const char* node_name, const Tensor& a, const Geometry& g) {
  return ViewOf(node_name, a, g, [&] {
    return [sizes = SizesOf(a)](const Tensor& gradient) { return ReshapeTo(gradient, sizes); };
  });
}

Tensor PermutedView(const char* node_name, const Tensor& a, Ints dims) {
  return ViewOf(node_name, a, PermutedGeometry(a, dims), [&] {
    return [inverse = InversePermutation(dims)](const Tensor& g) { return PermuteTo(g, inverse); };
  });
}

Tensor PartView(const char* node_name, const Tensor& a, const Part& part) {
  return ViewOf(node_name, a, PartGeometry(a, part),
                [&] { return [part](const Tensor& g) { return EmbedPart(g, part); }; });
}

// A view of places that a function of the whole names, of which some may recur.
template <typename Places>
Tensor PlacesView(const char* node_name, const Tensor& a, Places places) {
  return ViewOf(node_name, a, places(a), [&] {
    return [places, sizes = SizesOf(a)](const Tensor& g) { return EmbedPlaces(g, sizes, places); };
  });
}

}  // namespace

Tensor View(const Tensor& a, Ints shape) {
  CheckDefined("view", a);
  return ReshapedView("ViewBackward", a, ReshapedGeometry(a, shape));
}

Tensor Reshape(const Tensor& a, Ints shape) {
  CheckDefined("reshape", a);
  if (!a.IsContiguous()) return ReshapeAnyway(a, shape);
  return ReshapedView("ReshapeBackward", a, ReshapedGeometry(a, shape));
}

Tensor Transpose(const Tensor& a, int64_t dim0, int64_t dim1) {
  CheckDefined("transpose", a);
  if (dim0 < 0 || dim0 >= a.dim() || dim1 < 0 || dim1 >= a.dim()) {
    throw Error(ErrorKind::kIndex,
                absl::StrCat("[transpose] dimensions ", dim0, " and ", dim1,
                             " of a tensor of rank ", a.dim(), "; 0 to rank - 1 are allowed"));
  }
  return PermutedView("TransposeBackward", a, SwappedDims(a, dim0, dim1));
}

Tensor Permute(const Tensor& a, Ints dims) {
  CheckDefined("permute", a);
  return PermutedView("PermuteBackward", a, dims);
}

Tensor Expand(const Tensor& a, Ints shape) {
  CheckDefined("expand", a);
  return ViewOf("ExpandBackward", a, ExpandedGeometry(a, shape),
                [&] { return [sizes = SizesOf(a)](const Tensor& g) { return SumTo(g, sizes); }; });
}

Tensor Select(const Tensor& a, int64_t dim, int64_t index) {
  CheckDefined("select", a);
  return PartView("SelectBackward", a, SelectedPart(a, dim, index));
}

Tensor Slice(const Tensor& a, int64_t dim, int64_t start, int64_t stop, int64_t step) {
  CheckDefined("slice", a);
  return PartView("SliceBackward", a, SlicedPart(a, dim, start, stop, step));
}

Tensor Squeeze(const Tensor& a, Ints dims) {
  CheckDefined("squeeze", a);
  return ReshapedView("SqueezeBackward", a, SqueezedGeometry(a, dims));
}

Tensor Unsqueeze(const Tensor& a, int64_t dim) {
  CheckDefined("unsqueeze", a);
  return ReshapedView("UnsqueezeBackward", a, UnsqueezedGeometry(a, dim));
}

Tensor T(const Tensor& a) {
  CheckDefined("t", a);
  if (a.dim() > 2) {
    throw Error(ErrorKind::kShape, absl::StrCat("[t] a tensor of rank ", a.dim(),
                                                "; ranks 0 to 2 are allowed; use transpose"));
  }
  if (a.dim() < 2) return ReshapedView("TBackward", a, SameGeometry(a));
  return PermutedView("TBackward", a, Shape{1, 0});
}

Tensor Diagonal(const Tensor& a, Ints dims, int64_t by) {
  CheckDefined("diagonal", a);
  return PlacesView("DiagonalBackward", a,
                    [dims = Shape(dims.begin(), dims.end()), by](const Tensor& whole) {
                      return DiagonalGeometry(whole, dims, by);
                    });
}

Tensor Unfold(const Tensor& a, int64_t dim, int64_t step, int64_t count) {
  CheckDefined("unfold", a);
  return PlacesView("UnfoldBackward", a, [dim, step, count](const Tensor& whole) {
    return UnfoldedGeometry(whole, dim, step, count);
  });
}

Tensor AsStrided(const Tensor& a, Ints shape, Ints strides, int64_t start) {
  CheckDefined("as_strided", a);
  return PlacesView(
      "AsStridedBackward", a,
      [shape = Shape(shape.begin(), shape.end()), strides = Shape(strides.begin(), strides.end()),
       start](const Tensor& whole) { return StridedGeometry(whole, shape, strides, start); });
}

Tensor AliasOf(const Tensor& a) {
  CheckDefined("alias", a);
  return ReshapedView("AliasBackward", a, SameGeometry(a));
}

}  // namespace twingrad::ops
