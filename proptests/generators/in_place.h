// In-place writes: through a base and through views of it, to leaves without grad, of values with
// and without history.

#pragma once

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// A write to some value, or to a fresh copy of one if no value may be written.
void AddInPlace(Draft& draft);

// One write that fits; false where none does.
bool ApplyInPlace(Draft& draft, ValueId target);

}  // namespace twingrad::generators
