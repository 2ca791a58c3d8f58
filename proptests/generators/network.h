// What networks are made of: linear layers, attention, norms and dropout.
//
// Each function applies one op that fits the value, making the operands that it needs, and leaves
// the value alone (and returns it) where nothing fits.

#pragma once

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// x is the operand or, now and then, the matrix.
ValueId ApplyLinear(Draft& draft, ValueId x);
// x is one of the three, or two of them.
ValueId ApplyAttention(Draft& draft, ValueId x);
// layer_norm, group_norm or batch_norm, with a weight and a bias, a weight, or nothing.
ValueId ApplyNorm(Draft& draft, ValueId x);
ValueId ApplyDropout(Draft& draft, ValueId x);

}  // namespace twingrad::generators
