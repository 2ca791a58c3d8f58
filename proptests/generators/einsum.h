// Sums of products by a random equation.

#pragma once

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// einsum of x, and of another value or none: with letters that both have, that one alone has, and
// that one has twice. x itself where nothing fits.
ValueId ApplyEinsum(Draft& draft, ValueId x);

}  // namespace twingrad::generators
