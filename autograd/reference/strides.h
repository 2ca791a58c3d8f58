// Strides as PyTorch keeps them: they decide whether it considers two operands to overlap in
// memory.
//
// The twin itself needs no strides, since its tensors are lists of places; an engine compares them,
// including those of dimensions of size 1. Pure functions.

#pragma once

#include <cstdint>

#include "autograd/program/program.h"
#include "autograd/reference/index_map.h"

namespace twingrad::reference {

// The strides of what a view statement makes of a tensor with these sizes and strides; `to`: the
// sizes of the result.
Shape ViewStrides(const program::Statement& view, const Shape& from, const Shape& strides,
                  const Shape& to);

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
