// Ops that put a value in place of a view of another.

#pragma once

#include <cstdint>

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// x, whose dimension `dim` is one of its own, with some other value in place of a view; kNoValue
// where the view that was drawn does not fit.
ValueId ApplyViewScatter(Draft& draft, ValueId x, Opcode op, int64_t dim);

}  // namespace twingrad::generators
