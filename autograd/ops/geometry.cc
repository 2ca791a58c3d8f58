#include "autograd/ops/geometry.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/ops/recording.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/loops.h"

namespace twingrad::ops {

Tensor Alias(const Tensor& a, const Geometry& g) {
  return a.AsStrided(g.sizes, g.strides, g.offset);
}

Tensor WithShape(const Tensor& rows, Ints shape) {
  return rows.AsStrided(shape, ContiguousStrides(shape), rows.storage_offset());
}

void CheckDim(const char* op, int64_t dim, int64_t limit) {
  if (dim >= 0 && dim < limit) return;
  throw Error(ErrorKind::kIndex,
              absl::StrCat("[", op, "] dimension ", dim, " is out of range; 0 to ", limit - 1,
                           " are allowed here"));
}

void CheckDimOf(const char* op, const Tensor& a, int64_t dim) {
  CheckDefined(op, a);
  CheckDim(op, dim, a.dim());
}

void CheckNotEmpty(const char* op, const Tensor& a, int64_t dim) {
  if (a.sizes()[dim] != 0) return;
  throw Error(ErrorKind::kShape,
              absl::StrCat("[", op, "] dimension ", dim, " of ", ShapeToString(a.sizes()),
                           " has size 0; there must be an element to pick"));
}

void CheckElementCount(const char* op, const Tensor& a, Ints shape) {
  if (ElementCount(shape) == a.numel()) return;
  throw Error(ErrorKind::kShape,
              absl::StrCat("[", op, "] shape ", ShapeToString(shape), " does not hold the ",
                           a.numel(), " elements of ", ShapeToString(a.sizes()),
                           "; the numbers of elements must be equal"));
}

namespace {

Geometry GeometryOf(const Tensor& a) {
  return {SizesOf(a), Shape(a.strides().begin(), a.strides().end()), a.storage_offset()};
}

}  // namespace

Geometry ReshapedGeometry(const Tensor& a, Ints shape) {
  CheckElementCount("view", a, shape);
  if (!a.IsContiguous()) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[view] operand of shape ", ShapeToString(a.sizes()), " and strides ",
                             ShapeToString(a.strides()),
                             " is not contiguous; a view needs row-major memory; use reshape"));
  }
  return {Shape(shape.begin(), shape.end()), ContiguousStrides(shape), a.storage_offset()};
}

Geometry PermutedGeometry(const Tensor& a, Ints dims) {
  Geometry g;
  g.offset = a.storage_offset();
  InlinedVector<bool, 4> seen(a.sizes().size(), false);
  for (int64_t d : dims) {
    CheckDim("permute", d, a.dim());
    if (seen[d] || dims.size() != seen.size()) {
      throw Error(ErrorKind::kInvalidArgument,
                  absl::StrCat("[permute] dims ", ShapeToString(dims), " of a tensor of rank ",
                               a.dim(), "; each dimension is given exactly once"));
    }
    seen[d] = true;
    g.sizes.push_back(a.sizes()[d]);
    g.strides.push_back(a.strides()[d]);
  }
  return g;
}

Shape SwappedDims(const Tensor& a, int64_t dim0, int64_t dim1) {
  Shape dims(a.sizes().size());
  std::iota(dims.begin(), dims.end(), 0);
  std::swap(dims[dim0], dims[dim1]);
  return dims;
}

Shape InversePermutation(Ints dims) {
  Shape inverse(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) inverse[dims[i]] = static_cast<int64_t>(i);
  return inverse;
}

Geometry ExpandedGeometry(const Tensor& a, Ints shape) {
  if (!kernels::BroadcastsTo(a.sizes(), shape)) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[expand] shape ", ShapeToString(a.sizes()), " does not expand to ",
                             ShapeToString(shape), "; only sizes of 1 can be repeated"));
  }
  return {Shape(shape.begin(), shape.end()), kernels::StridesFor(a, shape), a.storage_offset()};
}

Geometry PartGeometry(const Tensor& a, const Part& part) {
  Geometry g = GeometryOf(a);
  // An empty part may begin at the end; it must not point out of the storage.
  if (part.length > 0) g.offset += part.start * g.strides[part.dim];
  if (part.drop) {
    g.sizes.erase(g.sizes.begin() + part.dim);
    g.strides.erase(g.strides.begin() + part.dim);
  } else {
    g.sizes[part.dim] = part.length;
    if (part.length > 1) g.strides[part.dim] *= part.step;
  }
  return g;
}

Part SelectedPart(const Tensor& a, int64_t dim, int64_t index) {
  CheckDim("select", dim, a.dim());
  const int64_t size = a.sizes()[dim];
  if (index < 0 || index >= size) {
    throw Error(ErrorKind::kIndex,
                absl::StrCat("[select] index ", index, " of dimension ", dim, " of size ", size,
                             "; 0 to ", size - 1, " are allowed"));
  }
  return {SizesOf(a), dim, index, 1, 1, true};
}

Part SlicedPart(const Tensor& a, int64_t dim, int64_t start, int64_t stop, int64_t step) {
  CheckDim("slice", dim, a.dim());
  if (start < 0 || stop < 0 || step < 1) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[slice] start ", start, ", stop ", stop, ", step ", step,
                             "; start and stop are 0 or more, step 1 or more"));
  }
  const int64_t size = a.sizes()[dim];
  const int64_t first = std::min(start, size);
  const int64_t span = std::max<int64_t>(std::min(stop, size) - first, 0);
  const int64_t length = span == 0 ? 0 : (span - 1) / step + 1;
  return {SizesOf(a), dim, first, step, length, false};
}

Geometry SqueezedGeometry(const Tensor& a, Ints dims) {
  for (int64_t d : dims) CheckDim("squeeze", d, a.dim());
  Geometry g;
  g.offset = a.storage_offset();
  for (int64_t d = 0; d < a.dim(); ++d) {
    const bool named = dims.empty() || std::find(dims.begin(), dims.end(), d) != dims.end();
    if (named && a.sizes()[d] == 1) continue;
    g.sizes.push_back(a.sizes()[d]);
    g.strides.push_back(a.strides()[d]);
  }
  return g;
}

Geometry UnsqueezedGeometry(const Tensor& a, int64_t dim) {
  CheckDim("unsqueeze", dim, a.dim() + 1);
  Geometry g = GeometryOf(a);
  g.sizes.insert(g.sizes.begin() + dim, 1);
  g.strides.insert(g.strides.begin() + dim, 1);
  return g;
}

Geometry SameGeometry(const Tensor& a) { return GeometryOf(a); }

Geometry DiagonalGeometry(const Tensor& a, Ints dims, int64_t by) {
  for (const int64_t d : dims) CheckDim("diagonal", d, a.dim());
  if (dims.size() != 2 || dims[0] == dims[1]) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[diagonal] dims ", ShapeToString(dims),
                             "; two dimensions that differ are allowed"));
  }
  Geometry g = GeometryOf(a);
  const int64_t rows = g.sizes[dims[0]], columns = g.sizes[dims[1]];
  const int64_t row = g.strides[dims[0]], column = g.strides[dims[1]];
  const int64_t first_row = by < 0 ? (by > -rows ? -by : rows) : 0;
  const int64_t first_column = std::clamp<int64_t>(by, 0, columns);
  const int64_t length = std::min(rows - first_row, columns - first_column);
  // An empty part must not point out of the storage.
  if (length > 0) g.offset += first_row * row + first_column * column;
  for (const int64_t d : {std::max(dims[0], dims[1]), std::min(dims[0], dims[1])}) {
    g.sizes.erase(g.sizes.begin() + d);
    g.strides.erase(g.strides.begin() + d);
  }
  g.sizes.push_back(length);
  g.strides.push_back(row + column);
  return g;
}

Geometry UnfoldedGeometry(const Tensor& a, int64_t dim, int64_t step, int64_t count) {
  CheckDim("unfold", dim, a.dim());
  const int64_t size = a.sizes()[dim];
  if (count < 1 || count > size || step < 1) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[unfold] windows of ", count, " entries, each ", step,
                             " after the last, in a dimension of size ", size,
                             "; 1 to the size, and steps of 1 or more, are allowed"));
  }
  Geometry g = GeometryOf(a);
  g.sizes[dim] = (size - count) / step + 1;
  g.sizes.push_back(count);
  g.strides.push_back(g.strides[dim]);
  if (g.sizes[dim] > 1) g.strides[dim] *= step;
  return g;
}

Geometry StridedGeometry(const Tensor& a, Ints shape, Ints strides, int64_t start) {
  const auto refuse = [&](const char* allowed) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[as_strided] shape ", ShapeToString(shape), ", strides ",
                             ShapeToString(strides), " and start ", start, " of ",
                             ShapeToString(a.sizes()), "; ", allowed));
  };
  if (!a.IsContiguous()) refuse("the tensor must be contiguous; clone() it first");
  if (shape.size() != strides.size() || start < 0) {
    refuse("as many strides as sizes, and a start of 0 or more, are allowed");
  }
  bool empty = false;
  int64_t last = start;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] < 0 || strides[d] < 0) refuse("sizes and strides of 0 or more are allowed");
    empty |= shape[d] == 0;
    int64_t way = 0;
    if (__builtin_mul_overflow(std::max<int64_t>(shape[d] - 1, 0), strides[d], &way) ||
        __builtin_add_overflow(last, way, &last)) {
      refuse("all elements must be the tensor's");
    }
  }
  if (!empty && last >= a.numel()) refuse("all elements must be the tensor's");
  return {Shape(shape.begin(), shape.end()), Shape(strides.begin(), strides.end()),
          a.storage_offset() + (empty ? 0 : start)};
}

Tensor IndexList(const std::vector<int64_t>& indices, Device device) {
  const Shape size = {static_cast<int64_t>(indices.size())};
  Tensor list = Tensor::Empty(size, DType::kI64, kernels::HostSide(device));
  std::copy(indices.begin(), indices.end(), list.mutable_data<int64_t>());
  return kernels::MovedTo(list, device);
}

Tensor Repeated(const Tensor& index, const Shape& shape, int64_t dim) {
  Shape strides(shape.size(), 0);
  strides[dim] = index.strides()[0];
  return index.AsStrided(shape, strides, index.storage_offset());
}

}  // namespace twingrad::ops
