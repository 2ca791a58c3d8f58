// Hooks of every kind that a Program can hold, and retain_grad.

#pragma once

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// A hook on some value, sometimes removed again.
void AddHook(Draft& draft);

}  // namespace twingrad::generators
