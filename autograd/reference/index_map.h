// Index maps: views, broadcasts, reductions and matrix products as lists of places, that is, of
// element positions.
//
// A map of n entries gives, for each of n places, the corresponding place of another array. Reading
// through a map is a gather, adding through it a scatter-add. The two are transposes of each other,
// so one list serves values and derivatives. Both witnesses use these maps; the engine uses strides
// and must agree.

#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/program.h"
#include "autograd/reference/arena.h"

namespace twingrad::reference {

struct IndexMap {
  const int32_t* index = nullptr;  // null: the identity
  int32_t size = 0;

  bool identity() const { return index == nullptr; }
  int32_t operator[](int32_t i) const { return identity() ? i : index[i]; }
};

// A map together with the shape of the array whose places it lists.
struct ShapedMap {
  Shape shape;
  IndexMap map;
};

int32_t Count(const Shape& shape);

// The places as a map.
IndexMap ListedMap(Arena& arena, const std::vector<int32_t>& places);

// The entries of one after those of the other.
IndexMap Appended(Arena& arena, const IndexMap& a, const IndexMap& b);

// Entry i is offset plus the dot product of `strides` with the row-major coordinates of i.
IndexMap StridedMap(Arena& arena, const Shape& sizes, const Shape& strides, int64_t offset);

Shape RowMajorStrides(const Shape& sizes);

// The shape that both broadcast to. They must fit.
Shape BroadcastShape(const Shape& a, const Shape& b);

// For each place of `to`, the place of `from` that is repeated there.
IndexMap BroadcastMap(Arena& arena, const Shape& from, const Shape& to);
// Of each place of `shape` its coordinate along `dim`: where a list has something for it.
IndexMap ListMap(Arena& arena, const Shape& shape, size_t dim);

// Where the elements of a view statement's result lie in its operand of shape `from`.
ShapedMap ViewMap(Arena& arena, const program::Statement& view, const Shape& from);

// For each place of the operand of sum or mean, the place of the result that it goes to; the shape
// is the result's, `count` how many elements meet in one place.
struct ReductionMap {
  Shape shape;
  IndexMap map;
  int64_t count = 0;
};
// Where the view that a scatter writes lies in its first operand, of shape `from`.
IndexMap ViewWritten(Arena& arena, const program::Statement& scatter, const Shape& from);
ReductionMap ReduceMap(Arena& arena, const program::Statement& reduction, const Shape& from);

// A matrix product as a list of products: entry i multiplies a[left[i]] by b[right[i]] and adds to
// out[result[i]].
struct MatmulMaps {
  Shape shape;
  IndexMap left;
  IndexMap right;
  IndexMap result;
};
MatmulMaps ProductMaps(Arena& arena, const Shape& a, const Shape& b);

// The places outer[inner[i]].
IndexMap Compose(Arena& arena, const IndexMap& outer, const IndexMap& inner);

// Whether the places are consecutive, as those of a row-major tensor are.
bool IsConsecutive(const IndexMap& map);

// Whether two entries name the same place.
bool Overlaps(Arena& arena, const IndexMap& map, int32_t places);

}  // namespace twingrad::reference
