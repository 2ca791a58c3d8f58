// Elements that indices in several dimensions or a mask take, put and reduce.
//
// Indices repeat, or are none; masks are true everywhere, nowhere, or here and there; what is put
// is broadcast. Of elements that are put, not added, mostly no two go to one place.

#pragma once

#include <cstdint>

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// index, index_put, scatter_reduce or masked_select of x, which has a dimension `dim`. x itself
// where nothing fits.
ValueId ApplyIndexed(Draft& draft, ValueId x, Opcode op, int64_t dim);

// A leaf of indices from 0 to size - 1.
ValueId MakeIndices(Draft& draft, const Shape& shape, int64_t size, DeviceIndex device);
// Whether to take an op of values and indices, and pick by these at once; and that: another value
// like x, picked along `dim`, or the values where there is none.
bool UsesIndices(Draft& draft, Opcode op);
ValueId PickByIndicesOf(Draft& draft, ValueId x, Opcode op, Attributes attributes, int64_t dim);
// Indices that an op gave, of entries of dimension `dim` of x, for gather and its like: below its
// size, and in no other dimension longer. `lists`: a list of them. kNoValue where there are none.
ValueId GivenIndices(Draft& draft, ValueId x, int64_t dim, bool lists);

}  // namespace twingrad::generators
