// Windows: boxes of entries that move over the last dimensions of a shape, which are called its
// plane. Convolutions and pools work on them, in any number of dimensions.
//
// As in index_map.h, a map gives for each place the corresponding place of another array.

#pragma once

#include <cstdint>
#include <vector>

#include "autograd/program/program.h"
#include "autograd/reference/arena.h"
#include "autograd/reference/index_map.h"
#include "autograd/reference/place_map.h"

namespace twingrad::reference {

struct Windows {
  Shape counts;                              // of windows along each dimension
  std::vector<std::vector<int32_t>> places;  // of each its entries in the plane; -1: in the padding
  int32_t plane = 1;                         // how many entries the plane has
};
// As stride=, padding= and dilation= say, over the last of `shape`.
Windows WindowsOf(const program::Statement& statement, const Shape& shape,
                  const std::vector<int64_t>& kernel);

// Those that share the last of `shape` out, as equal as can be.
Windows PortionsOf(const Shape& shape, const std::vector<int64_t>& counts);

// The shape with the counts of windows in place of the plane.
Shape WindowedShape(const Shape& shape, const Windows& windows);

// For each entry of each window, those in the padding left out: where it is, and which window it is
// part of.
struct EntryMaps {
  IndexMap from;
  IndexMap to;
};
EntryMaps EntriesOf(Arena& arena, const Shape& shape, const Windows& windows);

// The places of each window, those in the padding left out.
std::vector<std::vector<int32_t>> RowsOf(const Shape& shape, const Windows& windows);

// A convolution as a list of products, as ProductMaps of a matrix product; and the products with
// the zeros of the padding, of which `padded.left` names nothing.
struct ConvolutionMaps {
  MatmulMaps inside;
  MatmulMaps padded;
};
ConvolutionMaps ConvolvedMaps(Arena& arena, const program::Statement& statement, const Shape& a,
                              const Shape& b);

// A transposed convolution as lists of products: each that a convolution by `b` adds up in an entry
// of `a`'s shape goes where that takes its factor from. Those that fall into the padding are lost:
// `padded.result` names nothing.
ConvolutionMaps TransposedMaps(Arena& arena, const program::Statement& statement, const Shape& a,
                               const Shape& b);

// For each place, that of the greatest (least) element up to it in its row along `dim`: the last of
// several, or the last NaN.
Picks RunningExtremeMap(Arena& arena, const Array& a, size_t dim, bool least,
                        std::vector<Tie>* ties);

}  // namespace twingrad::reference
