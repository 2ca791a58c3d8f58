// Which elements a statement `dropout` sets to 0: part of the language, as the elements of leaves
// with seed= are.
//
//   if (IsDropped(seed, index, 0.5)) ...

#pragma once

#include <cstdint>

namespace twingrad::program {

// Whether element `index`, in row-major order, is one of the share `by` of all. Word index % 4 of
// the block Philox 4x32-10 (counter: index / 4, key: seed; the lower halves first) is below
// by * 2^32. J. K. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
bool IsDropped(int64_t seed, int64_t index, double by);

}  // namespace twingrad::program
