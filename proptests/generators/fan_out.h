// Fans: one value with several consumers, whose gradients must all be summed before they are passed
// on.

#pragma once

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// Two to nine consumers of one value, combined again as far as their shapes allow.
void AddFanOut(Draft& draft);

}  // namespace twingrad::generators
