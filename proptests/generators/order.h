// Sums whose bits reveal the order of their terms: lanes of 1e8, 1, -1e8 in f32, over several
// devices.

#pragma once

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// A leaf with three or four consumers on different devices whose gradients are such lanes. None of
// this is exact; the engine is compared with its own runs at other thread counts.
void AddOrder(Draft& draft);

}  // namespace twingrad::generators
