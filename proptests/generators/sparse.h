// Sparse tensors: made of a value and indices, coalesced, made dense, taken apart, made again of
// their parts.
//
// Indices are in no order and mostly some repeat; there are none now and then, and sizes of 0. On
// the CPU, and seldom elsewhere, where not all devices have them.

#pragma once

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// Whether ApplySparse makes it.
bool IsSparse(Opcode op);

// Statements with `op`, one of those of sparse tensors, that begin with x as values: the dense
// value that they end with. x itself where nothing fits.
ValueId ApplySparse(Draft& draft, ValueId x, Opcode op);

}  // namespace twingrad::generators
