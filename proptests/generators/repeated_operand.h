// Repeated operands: two parallel edges from one node to another, x * x above all.

#pragma once

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// An op with one value in both places.
void AddRepeatedOperand(Draft& draft);

}  // namespace twingrad::generators
