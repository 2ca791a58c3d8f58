#include "autograd/ops/view_scatter.h"

#include <cstdint>
#include <set>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/ops/copy.h"
#include "autograd/ops/geometry.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/recording.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/loops.h"

namespace twingrad::ops {
namespace {

struct Names {
  const char* op;
  std::string_view node;
  bool may_meet = false;  // elements of the part, in one place
};

// Error(kInvalidArgument) where two elements of a part that lies so have one place.
void CheckApart(const char* op, const Geometry& part) {
  std::set<int64_t> seen;
  Shape at(part.sizes.size(), 0);
  for (int64_t left = ElementCount(part.sizes); left > 0; --left) {
    int64_t place = part.offset;
    for (size_t d = 0; d < at.size(); ++d) place += at[d] * part.strides[d];
    if (!seen.insert(place).second) {
      throw Error(ErrorKind::kInvalidArgument,
                  absl::StrCat("[", op, "] a part of shape ", ShapeToString(part.sizes),
                               " and strides ", ShapeToString(part.strides), " has element ", place,
                               " twice; each must be one number; choose other strides"));
    }
    for (size_t d = at.size(); d-- > 0 && ++at[d] == part.sizes[d];) at[d] = 0;
  }
}

Tensor PutAt(const Names& names, const Tensor& a, const Tensor& part, const PlacesOf& places) {
  CheckDefined(names.op, a, part);
  kernels::CheckSameKind(names.op, a, part);
  Tensor result = kernels::Clone(a);
  const Geometry where = places(result);
  if (names.may_meet) CheckApart(names.op, where);
  Tensor target = Alias(result, where);
  if (target.sizes() != part.sizes()) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[", names.op, "] a part of shape ", ShapeToString(part.sizes()),
                             " in place of a view of ", ShapeToString(target.sizes()),
                             "; they must be equal"));
  }
  kernels::CopyInto(target, part);
  if (ShouldRecord(a, part)) {
    Record(names.node, result, {&a, &part},
           [names, places, sizes = SizesOf(part)](size_t k, const Tensor& g, const Tensor*) {
             if (k == 0) {
               return PutAt(names, g, Tensor::Zeros(sizes, g.dtype(), g.device()), places);
             }
             // Places may be counted in row-major order.
             return TakePlaces(g.IsContiguous() ? g : Clone(g), places);
           });
  }
  return result;
}

}  // namespace

Tensor SelectScatter(const Tensor& a, const Tensor& part, int64_t dim, int64_t index) {
  return PutAt({"select_scatter", "SelectScatterBackward"}, a, part,
               [dim, index](const Tensor& whole) {
                 return PartGeometry(whole, SelectedPart(whole, dim, index));
               });
}

Tensor SliceScatter(const Tensor& a, const Tensor& part, int64_t dim, int64_t start, int64_t stop,
                    int64_t step) {
  return PutAt({"slice_scatter", "SliceScatterBackward"}, a, part,
               [dim, start, stop, step](const Tensor& whole) {
                 return PartGeometry(whole, SlicedPart(whole, dim, start, stop, step));
               });
}

Tensor DiagonalScatter(const Tensor& a, const Tensor& part, Ints dims, int64_t by) {
  return PutAt({"diagonal_scatter", "DiagonalScatterBackward"}, a, part,
               [dims = Shape(dims.begin(), dims.end()), by](const Tensor& whole) {
                 return DiagonalGeometry(whole, dims, by);
               });
}

Tensor AsStridedScatter(const Tensor& a, const Tensor& part, Ints shape, Ints strides,
                        int64_t start) {
  return PutAt(
      {"as_strided_scatter", "AsStridedScatterBackward", /*may_meet=*/true}, a, part,
      [shape = Shape(shape.begin(), shape.end()), strides = Shape(strides.begin(), strides.end()),
       start](const Tensor& whole) { return StridedGeometry(whole, shape, strides, start); });
}

}  // namespace twingrad::ops
