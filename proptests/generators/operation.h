// Single ops: the bricks of all other parts.
//
// Each function applies one op that fits the value and the options, finding or making the other
// operands; it prefers ops that keep the numbers exact and leaves the value alone (and returns it)
// where nothing fits.

#ifndef PROPTESTS_GENERATORS_OPERATION_H_
#define PROPTESTS_GENERATORS_OPERATION_H_

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// Any op of one of the kinds below.
ValueId ApplyOp(Draft& draft, ValueId x);
// neg, relu, abs, sgn, clamp, and, where rounding is allowed, exp, log, sqrt, sin, cos, tanh,
// sigmoid.
ValueId ApplyUnary(Draft& draft, ValueId x);
// add, sub, mul, div, pow, maximum, minimum, with another value or a new leaf.
ValueId ApplyBinary(Draft& draft, ValueId x);
// add, sub, mul, maximum, minimum of two values that broadcast together; kNoValue where they do
// not.
ValueId Combine(Draft& draft, ValueId a, ValueId b);
ValueId ApplyWhere(Draft& draft, ValueId x);
// sum, mean.
ValueId ApplyReduction(Draft& draft, ValueId x);
ValueId ApplyMatmul(Draft& draft, ValueId x);
// clone, cast.
ValueId ApplyCopy(Draft& draft, ValueId x);

// The value summed to a scalar (as it is when it has one element and no dimensions).
ValueId SumAll(Draft& draft, ValueId x);

// Whether shapes broadcast together, and to no more than a few elements.
bool Broadcast(const Shape& a, const Shape& b);

}  // namespace twingrad::generators

#endif  // PROPTESTS_GENERATORS_OPERATION_H_
