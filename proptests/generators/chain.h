// Chains: each op takes the result of the one before.

#pragma once

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// Two to four ops in a row, begun at some value.
void AddChain(Draft& draft);

}  // namespace twingrad::generators
