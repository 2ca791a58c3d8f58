// Single ops: the building blocks of all other parts.
//
// Each function applies one op that fits the value and the options, and finds or makes the other
// operands. It prefers ops that keep the numbers exact. If nothing fits, it returns the value
// unchanged.

#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "proptests/generators/draft.h"

namespace twingrad::generators {

// The most elements of a result that may be larger than its operands.
inline constexpr int64_t kMaxResult = 64;

// Any op of one of the kinds below.
ValueId ApplyOp(Draft& draft, ValueId x);
// clamp or an elementwise op of one operand; ops that round are used only where rounding is
// allowed.
ValueId ApplyUnary(Draft& draft, ValueId x);
// add, sub, mul, div, pow, maximum, minimum, with another value or a new leaf.
ValueId ApplyBinary(Draft& draft, ValueId x);
// add, sub, mul, maximum, minimum of two values that broadcast together; kNoValue where they do
// not.
ValueId Combine(Draft& draft, ValueId a, ValueId b);
// logaddexp, atan2, xlogy, fmod, remainder.
ValueId ApplyPair(Draft& draft, ValueId x);
// where, masked_fill.
ValueId ApplyWhere(Draft& draft, ValueId x);
// addcmul, addcdiv, lerp.
ValueId ApplyTernary(Draft& draft, ValueId x);
// sum, mean.
ValueId ApplyReduction(Draft& draft, ValueId x);
ValueId ApplyMatmul(Draft& draft, ValueId x);
// clone, cast.
ValueId ApplyCopy(Draft& draft, ValueId x);

// The sum of all elements, a scalar; the value itself if it already is a scalar.
ValueId SumAll(Draft& draft, ValueId x);

// What to draw from: the preferred ops, one listed twice twice as often, then the others of the
// table. So a new op needs no change to the generators.
std::vector<Opcode> PreferredFirst(absl::Span<const Opcode> preferred,
                                   absl::Span<const Opcode> table);

// Whether the op's results are finite and of no great size at all that x may hold.
bool IsTaken(Draft& draft, Opcode op, ValueId x);
// x, or an op of x that makes any number one that the op takes (sigmoid, tanh); kNoValue where the
// Program has no room for it.
ValueId Taken(Draft& draft, Opcode op, ValueId x);

// What an op made, or the value itself where it was refused.
inline ValueId OrSelf(ValueId result, ValueId x) { return result == kNoValue ? x : result; }

// Whether the shapes broadcast together and the result has only a few elements.
bool Broadcast(const Shape& a, const Shape& b);

}  // namespace twingrad::generators
