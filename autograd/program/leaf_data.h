// The elements of a leaf, whichever way its statement gives them: data=, fill=, seed= or none of
// them (zeros).

#pragma once

#include <cstdint>

#include "autograd/program/program.h"

namespace twingrad::program {

// One Bits entry per element, in row-major order; the leaf's statement must be valid.
Bits LeafData(const Statement& leaf);

// Element `index` of a leaf with seed=`seed`, as Bits. With z = splitmix64's output number `index`
// from the state `seed` (state += 0x9e3779b97f4a7c15, then the mix), r = z >> 59: an element that
// is not a bool is 0 if r < 8, else entry r % 8 of -4,-3,-2,-1,1,2,3,4. A bool is z & 1.
uint64_t SeededElement(int64_t seed, int64_t index, DType dtype);

// Number of elements; sizes must be within the limits.
int64_t NumElements(const Shape& shape);

}  // namespace twingrad::program
