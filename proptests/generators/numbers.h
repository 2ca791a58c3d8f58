// Numbers: casts between element types, large magnitudes, infinities and NaN, integer arithmetic.

#pragma once

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// One of these on some value.
void AddNumbers(Draft& draft);

}  // namespace twingrad::generators
