// Views: chains of views, views that change nothing, and ops in between.

#pragma once

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// One to three views in a row on some value, then an op on the last.
void AddView(Draft& draft);

// One view that fits the value; the value where none does.
ValueId ApplyView(Draft& draft, ValueId x);

}  // namespace twingrad::generators
