// Strides as PyTorch keeps them: what decides whether it takes two operands for one memory.
//
// The twin itself needs none, its tensors are lists of places; an engine compares strides, those of
// dimensions of size 1 included. Pure functions.

#ifndef AUTOGRAD_REFERENCE_STRIDES_H_
#define AUTOGRAD_REFERENCE_STRIDES_H_

#include <cstdint>

#include "autograd/program/program.h"
#include "autograd/reference/index_map.h"

namespace twingrad::reference {

// The strides of what a view statement makes of a tensor with these sizes and strides; `to`: the
// sizes of the result.
Shape ViewStrides(const program::Statement& view, const Shape& from, const Shape& strides,
                  const Shape& to);

// From the least of the places to behind the greatest; filled: each place between once.
struct Stretch {
  int32_t begin = 0;
  int32_t end = 0;
  bool filled = false;
};
Stretch StretchOf(const IndexMap& map);

// Of two tensors in one storage, as PyTorch sees it: each fills a stretch of memory, and these meet
// otherwise than element by element.
bool OverlapPartly(const IndexMap& a, const Shape& strides_of_a, const IndexMap& b,
                   const Shape& strides_of_b);

// Whether a write, element by element, reads places that it writes for another element. Where
// PyTorch does not see that, the result depends on the order in which its kernel goes.
bool ReadsWhatItWrites(const IndexMap& written, const IndexMap& read);

}  // namespace twingrad::reference

#endif  // AUTOGRAD_REFERENCE_STRIDES_H_
