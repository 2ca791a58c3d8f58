// The constant weights and conditions of derivatives where a function is not smooth. Where bounds
// leave open which weight holds, its own bound covers all that may.
//
// Each changes only where its function has a kink, so that no gradient reaches it.

#pragma once

#include "autograd/reference/primitives.h"

namespace twingrad::reference {

// Of the operand `which` of maximum or minimum; of relu from its result; of abs from its operand.
const Array* MaximumWeight(Arena& arena, const Array* a, const Array* b, int which,
                           bool least = false);
const Array* ReluWeight(Arena& arena, const Array* result);
const Array* SignOf(Arena& arena, const Array* a);
// Where a^b is flat although a factor of its derivative is no number: in a at b == 0, where a is 0
// or NaN; in b at a == 0 with b >= 0.
const Array* IsFlatInBase(Arena& arena, const Array* a, const Array* b);
// Where its slope in a is 0 and 1 / a, the slope of that in b, is beyond the format: at b == 0,
// where a is subnormal. Null if that is nowhere.
const Array* IsSteepInBase(Arena& arena, const Array* a, const Array* b);
const Array* IsFlatInExponent(Arena& arena, const Array* a, const Array* b);
// The whole number of times that b goes into a, of fmod or, if `floors`, of remainder.
const Array* WholeQuotients(Arena& arena, const Array* a, const Array* b, bool floors);
// 1, by which engines may be off in a slope e^(a - r), where r = log(e^a + e^b) is rounded.
const Array* NearOne(Arena& arena, const Array* a, const Array* b);
// 1 where it is 0, or where it is not, else 0.
const Array* IsZero(Arena& arena, const Array* a);
const Array* IsNotZero(Arena& arena, const Array* a);
// How much of a group's gradient each element gets: an equal share where several are the extreme.
const Array* ExtremeWeight(Arena& arena, const Array* a, const PrimitiveArguments& arguments);
// 1 between the limits, 0 outside them, and 0 at them if `flat_at_limits`; 0 where they leave no
// room.
const Array* ClampWeight(Arena& arena, const Array* a, const PrimitiveArguments& arguments,
                         bool flat_at_limits);

}  // namespace twingrad::reference
