// Where the elements of views lie in memory: sizes, strides and offset, as PyTorch keeps them.
//
// The twin's tensors are lists of places, made from these layouts. The strides themselves,
// including those of dimensions of size 1, decide whether an engine considers two operands to
// overlap in memory. Pure functions.

#pragma once

#include <cstdint>

#include "autograd/program/program.h"
#include "autograd/reference/index_map.h"

namespace twingrad::reference {

struct Layout {
  Shape sizes;
  Shape strides;
  int64_t offset = 0;
};

// What a view statement makes of a tensor with these sizes and strides.
Layout ViewLayout(const program::Statement& view, const Shape& from, const Shape& strides);

// The interval from the least place to one past the greatest; filled: each place in it occurs
// exactly once.
struct Stretch {
  int32_t begin = 0;
  int32_t end = 0;
  bool filled = false;
};
Stretch StretchOf(const IndexMap& map);

// Whether two tensors in one storage overlap partly, as PyTorch sees it: each fills a stretch of
// memory, and the stretches intersect other than element by element.
bool OverlapPartly(const IndexMap& a, const Shape& strides_of_a, const IndexMap& b,
                   const Shape& strides_of_b);

// Whether an elementwise write reads places that it writes for another element. Where PyTorch does
// not detect that, the result depends on the order in which its kernel visits the elements.
bool ReadsWhatItWrites(const IndexMap& written, const IndexMap& read);

}  // namespace twingrad::reference
