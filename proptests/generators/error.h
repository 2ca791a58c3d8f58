// Errors: statements that must fail at run time, one for each error class that a Program can raise.

#pragma once

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// Adds one or two statements, the last of which raises an error, or nothing if the available values
// do not allow it.
void AddError(Draft& draft);

// The same in a region of kind=try, after which the Program continues.
void AddSurvivedError(Draft& draft);

}  // namespace twingrad::generators
