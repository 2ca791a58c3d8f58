// Calls of the engine: backward and grad with every combination of flags, several in a row.

#pragma once

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// One to three calls; without Feature::kCalls one plain backward.
void AddCalls(Draft& draft);

}  // namespace twingrad::generators
