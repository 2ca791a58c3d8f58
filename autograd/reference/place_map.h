// Index maps of statements that move elements: joins, reversals, picks by index, sorts, running
// sums.
//
// As in index_map.h, a map gives for each place the corresponding place of another array. The maps
// of picks and sorts depend on numbers; where bounds leave open what is picked, they list what else
// another engine may pick.

#pragma once

#include <cstdint>
#include <vector>

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

// The same shape with entry k of `dim` at place k + by, counted around.
IndexMap RollMap(Arena& arena, const Shape& shape, size_t dim, int64_t by);
// The places of matrices on and below (above) the diagonal that is `by` to the right.
IndexMap TriangleMap(Arena& arena, const Shape& shape, int64_t by, bool below);

// The shape with pads= more entries, and how many of them stand before.
struct Padding {
  Shape shape;
  Shape before;
};
Padding PaddingOf(const program::Statement& statement, const Shape& from);

// Of each place of a larger shape `to` of the same rank, whose coordinates count from `before` on,
// the place of `from` that repeats there, as the op says: pad_reflect, pad_replicate, or around.
IndexMap ExtendedMap(Arena& arena, program::Opcode op, const Shape& from, const Shape& to,
                     const Shape& before);

// What the twin picks, and at some places all that another engine may pick instead: at `open[k]`
// also `others[k]`.
struct Picks {
  IndexMap places;
  IndexMap open;
  IndexMap others;
  bool certain() const { return open.size == 0; }
};

// For each place of `shape`, the place of an array of shape `of` with the same coordinates but for
// `dim`, where the coordinate is indices[at[place]]. Throws IndexOutOfRange, UnknownInteger.
Picks PickMap(Arena& arena, const Shape& of, const Shape& shape, size_t dim, const Array& indices,
              const IndexMap& at);

// Throws as PickMap does where an index along `dim` is out of range, also where no element is
// picked.
void CheckIndices(Arena& arena, const Shape& of, size_t dim, const Array& indices);

// Each pick, and with a weight of 0 or 1 each of the others, as a term: terms[k] of what is picked
// from, times weights[k], is added to the result at to[k]. A weight has a bound of 1 where it may
// be the other.
struct PickTerms {
  IndexMap from;
  IndexMap to;
  const Array* weights;
};
PickTerms TermsOf(Arena& arena, const Picks& picks, DType dtype);
// From integers; unknown ones where several may be picked.
const Array* PickedIntegers(Arena& arena, const Array& a, const Picks& picks, const Shape* shape);

// Equal elements, of which another engine may pick others: those at `places`, one for each of `at`.
// `undefined` where they are NaN, or a bound leaves their order open.
struct Tie {
  std::vector<int32_t> at;
  std::vector<int32_t> places;
  bool undefined = false;
};

// Running sums as a list of terms: entry i adds a[from[i]] to out[to[i]].
struct RunningMaps {
  IndexMap from;
  IndexMap to;
};
RunningMaps CumsumMaps(Arena& arena, const Shape& shape, size_t dim);

// For each place, the place of `a` whose element belongs there when each row along `dim` is in
// order, equal ones in their order and NaN above all.
Picks OrderMap(Arena& arena, const Array& a, size_t dim, bool descending, std::vector<Tie>* ties);
// For each row along `dim`, the place of its greatest (least) element: the first of several, or the
// first NaN.
Picks ExtremeMap(Arena& arena, const Array& a, size_t dim, bool least, std::vector<Tie>* ties);
// The same of rows that are lists of places, none of them empty.
Picks ExtremeOfRows(Arena& arena, const Array& a, const std::vector<std::vector<int32_t>>& rows,
                    bool least, std::vector<Tie>* ties);
// The coordinate along `dim` of what is picked, as integers of shape `shape`. In place of the bound
// of one that is open stands -n, where n is the size of `dim`: it is one of 0 to n - 1.
const Array* CoordinatesOf(Arena& arena, const Picks& picks, const Shape& of, size_t dim,
                           const Shape* shape);

}  // namespace twingrad::reference
