// Several roots in one call: repeated roots, roots that depend on one another, leaves.

#pragma once

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// Adds one or two more roots to the call, with seeds where they need them.
void AddRoots(Draft& draft, Draft::Call* call);

}  // namespace twingrad::generators
