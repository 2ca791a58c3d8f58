#include "autograd/ops/layout.h"

#include "autograd/ops/copy.h"
#include "autograd/ops/recording.h"
#include "autograd/tensor/kernels/arithmetic.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/narrow.h"

namespace twingrad::ops {
Tensor ReshapeTo(const Tensor& a, Ints shape) {
  return a.sizes() == shape ? a : ReshapeAnyway(a, shape);
}

Tensor ReshapeAnyway(const Tensor& a, Ints shape) {
  CheckElementCount("reshape", a, shape);
  const Tensor rows = kernels::Contiguous(a);
  Tensor result = Alias(rows, ReshapedGeometry(rows, shape));
  if (ShouldRecord(a)) {
    Record("ReshapeBackward", result, a,
           [sizes = SizesOf(a)](const Tensor& g) { return ReshapeTo(g, sizes); });
  }
  return result;
}

Tensor PermuteTo(const Tensor& a, Ints dims) {
  Tensor result = Alias(a, PermutedGeometry(a, dims));
  if (ShouldRecord(a)) {
    Record("PermuteBackward", result, a,
           [inverse = InversePermutation(dims)](const Tensor& g) { return PermuteTo(g, inverse); });
  }
  return result;
}

Tensor TransposeLast(const Tensor& a) {
  return PermuteTo(a, SwappedDims(a, a.dim() - 2, a.dim() - 1));
}

Tensor TakePart(const Tensor& a, const Part& place) {
  Tensor result = Alias(a, PartGeometry(a, place));
  if (ShouldRecord(a)) {
    Record("TakePartBackward", result, a, [place](const Tensor& g) { return EmbedPart(g, place); });
  }
  return result;
}

Tensor EmbedPart(const Tensor& part, const Part& place) {
  Tensor result = Tensor::Zeros(place.whole, part.dtype(), part.device());
  Tensor target = Alias(result, PartGeometry(result, place));
  kernels::CopyInto(target, part);
  if (ShouldRecord(part)) {
    Record("EmbedPartBackward", result, part,
           [place](const Tensor& g) { return TakePart(g, place); });
  }
  return result;
}

Tensor TakePlaces(const Tensor& a, const PlacesOf& places) {
  Tensor result = Alias(a, places(a));
  if (ShouldRecord(a)) {
    Record("TakePlacesBackward", result, a,
           [places, sizes = SizesOf(a)](const Tensor& g) { return EmbedPlaces(g, sizes, places); });
  }
  return result;
}

Tensor EmbedPlaces(const Tensor& part, Ints whole, const PlacesOf& places) {
  // Places may recur: all that is added in one is added before it is narrowed.
  const DType dtype = part.dtype();
  Tensor result = Tensor::Zeros(whole, ComputedAs(dtype), part.device());
  Tensor target = Alias(result, places(result));
  kernels::AddInto(target, kernels::Widened(part));
  if (IsNarrow(dtype)) [[unlikely]]
    result = kernels::Narrowed(result, dtype);
  if (ShouldRecord(part)) {
    // Places may be counted in row-major order.
    Record("EmbedPlacesBackward", result, part, [places](const Tensor& g) {
      return TakePlaces(g.IsContiguous() ? g : Clone(g), places);
    });
  }
  return result;
}

}  // namespace twingrad::ops
