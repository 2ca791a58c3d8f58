// Single ops: the bricks of all other parts.
//
// Each function applies one op that fits the value and the options, finding or making the other
// operands; it prefers ops that keep the numbers exact and leaves the value alone (and returns it)
// where nothing fits.

#ifndef PROPTESTS_GENERATORS_OPERATION_H_
#define PROPTESTS_GENERATORS_OPERATION_H_

#include "absl/types/span.h"
#include "proptests/generators/draft.h"

namespace twingrad::generators {

// Any op of one of the kinds below.
ValueId ApplyOp(Draft& draft, ValueId x);
// clamp, or an elementwise op of one operand; one that rounds only where rounding is allowed.
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

// Picks an op from `preferred`, where an op that stands there twice comes twice as often, or one of
// the table's ops of this kind that `preferred` does not name: a new op needs no generator.
Opcode PickUnary(Source& source, absl::Span<const Opcode> preferred,
                 absl::Span<const Opcode> table);

// Whether shapes broadcast together, and to no more than a few elements.
bool Broadcast(const Shape& a, const Shape& b);

}  // namespace twingrad::generators

#endif  // PROPTESTS_GENERATORS_OPERATION_H_
