// Ladders: each rung takes the two values before it, so that the number of paths grows like the
// Fibonacci numbers.

#pragma once

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// Two or three rungs.
void AddLadder(Draft& draft);

}  // namespace twingrad::generators
