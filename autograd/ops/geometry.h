// Where the elements of a view lie: sizes, strides and offset from those of the operand.
//
//   Tensor t = Alias(a, PermutedGeometry(a, {1, 0}));
//
// Offsets count from the start of the storage. Arguments that do not fit are Error kShape, kIndex
// or kInvalidArgument. Pure functions.

#pragma once

#include <cstdint>
#include <vector>

#include "autograd/base/dtype.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

struct Geometry {
  Shape sizes;
  Shape strides;
  int64_t offset = 0;
};

// Entries start, start + step, ... (length of them) of one dimension of a tensor of shape `whole`;
// the dimension is absent from the part where `drop` is set (length is 1 then).
struct Part {
  Shape whole;
  int64_t dim = 0;
  int64_t start = 0;
  int64_t step = 1;
  int64_t length = 1;
  bool drop = false;
};

inline Shape SizesOf(const Tensor& a) { return Shape(a.sizes().begin(), a.sizes().end()); }

// a's memory with this geometry, without history.
Tensor Alias(const Tensor& a, const Geometry& g);
// Fresh, contiguous `rows` with another shape of as many elements, without history.
Tensor WithShape(const Tensor& rows, Ints shape);

// Error(kIndex) naming `op` unless 0 <= dim < limit.
void CheckDim(const char* op, int64_t dim, int64_t limit);
// Error(kUndefined), Error(kIndex) naming `op` unless `a` has a dimension `dim`.
void CheckDimOf(const char* op, const Tensor& a, int64_t dim);

// A list of indices, i64, on this device.
Tensor IndexList(const std::vector<int64_t>& indices, Device device);
// The list `index` as it stands beside a tensor of `shape`: repeated in all dimensions but `dim`.
Tensor Repeated(const Tensor& index, const Shape& shape, int64_t dim);
// Error(kShape) naming `op` where dimension `dim` of `a` has size 0.
void CheckNotEmpty(const char* op, const Tensor& a, int64_t dim);

// Row-major with another shape; Error(kInvalidArgument) unless the operand is contiguous.
Geometry ReshapedGeometry(const Tensor& a, Ints shape);
// Error(kShape) unless `shape` has as many elements as `a`.
void CheckElementCount(const char* op, const Tensor& a, Ints shape);

Geometry PermutedGeometry(const Tensor& a, Ints dims);
// The dims of the operand in order, but for these two.
Shape SwappedDims(const Tensor& a, int64_t dim0, int64_t dim1);
// dims with the inverse effect.
Shape InversePermutation(Ints dims);

// Sizes of 1 repeated, leading dimensions added.
Geometry ExpandedGeometry(const Tensor& a, Ints shape);

Geometry PartGeometry(const Tensor& a, const Part& part);
Part SelectedPart(const Tensor& a, int64_t dim, int64_t index);
// As a Python slice: start and stop are clamped to the size.
Part SlicedPart(const Tensor& a, int64_t dim, int64_t start, int64_t stop, int64_t step);

// Of each matrix of the two dims, which go, the diagonal that is `by` to the right; it comes last.
Geometry DiagonalGeometry(const Tensor& a, Ints dims, int64_t by);
// Windows of `count` entries of `dim`, each `step` after the last; their entries come last.
Geometry UnfoldedGeometry(const Tensor& a, int64_t dim, int64_t step, int64_t count);
Geometry SameGeometry(const Tensor& a);
// Of a contiguous tensor, the elements at `start` and each coordinate times its stride from there.
Geometry StridedGeometry(const Tensor& a, Ints shape, Ints strides, int64_t start);

// Without those of `dims` (of all dimensions where `dims` is empty) whose size is 1.
Geometry SqueezedGeometry(const Tensor& a, Ints dims);
// With a dimension of size 1 before `dim`.
Geometry UnsqueezedGeometry(const Tensor& a, int64_t dim);

}  // namespace twingrad::ops
