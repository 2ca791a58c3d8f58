// Views, and writes through them: the steps of which the parts that share memory are made.

#pragma once

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// One view that fits the value; the value where none does.
ValueId ApplyView(Draft& draft, ValueId x);
// select or slice.
ValueId ApplyPart(Draft& draft, ValueId x);

// One write that fits; false where none does.
bool ApplyInPlace(Draft& draft, ValueId target);

}  // namespace twingrad::generators
