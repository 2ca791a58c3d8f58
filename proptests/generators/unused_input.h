// Unused and unreachable inputs: leaves and results that no root depends on, for calls to name as
// inputs.

#pragma once

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// A leaf that requires grad and, sometimes, an op on it whose result is not used.
void AddUnusedInput(Draft& draft);

}  // namespace twingrad::generators
