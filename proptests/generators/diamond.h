// Diamonds: two paths from one value to another.

#pragma once

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// One or two diamonds, each starting where the previous one ends.
void AddDiamond(Draft& draft);

}  // namespace twingrad::generators
