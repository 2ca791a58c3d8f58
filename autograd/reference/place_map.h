// Index maps of statements that move elements: joins, reversals, picks by index, sorts, running
// sums.
//
// As in index_map.h, a map gives for each place the corresponding place of another array. The maps
// of picks and sorts depend on numbers and are made only where the numbers are known well enough.

#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "autograd/program/program.h"
#include "autograd/reference/arena.h"
#include "autograd/reference/index_map.h"
#include "autograd/reference/primitives.h"

namespace twingrad::reference {

// An index that names no entry.
struct IndexOutOfRange {};

// Where a part lies in a whole, from entry `start` of dimension `dim` on; both have the same rank.
IndexMap PartMap(Arena& arena, const Shape& part, const Shape& whole, size_t dim, int64_t start);
// The same shape with the order along `dims` reversed.
IndexMap FlipMap(Arena& arena, const Shape& shape, absl::Span<const int64_t> dims);

// For each place of `shape`, the place of an array of shape `of` with the same coordinates but for
// `dim`, where the coordinate is indices[at[place]]. Throws IndexOutOfRange, UnknownInteger.
IndexMap PickMap(Arena& arena, const Shape& of, const Shape& shape, size_t dim,
                 const Array& indices, const IndexMap& at);

// Running sums as a list of terms: entry i adds a[from[i]] to out[to[i]].
struct RunningMaps {
  IndexMap from;
  IndexMap to;
};
RunningMaps CumsumMaps(Arena& arena, const Shape& shape, size_t dim);

// For each place, the place of `a` whose element belongs there when each row along `dim` is in
// order, equal ones in their order and NaN above all. Throws UnknownInteger where bounds leave the
// order open. Sets *tie where two numbers are equal.
IndexMap OrderMap(Arena& arena, const Array& a, size_t dim, bool descending, bool* tie);
// For each row along `dim`, the place of its greatest (least) element: the first of several, or the
// first NaN.
IndexMap ExtremeMap(Arena& arena, const Array& a, size_t dim, bool least, bool* tie);
// The coordinate along `dim` of the places of a map, as integers of shape `shape`.
const Array* CoordinatesOf(Arena& arena, const IndexMap& map, const Shape& of, size_t dim,
                           const Shape* shape);

}  // namespace twingrad::reference
