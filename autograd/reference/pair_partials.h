// The partial derivatives of functions of two numbers, for the dual witness: the longer ones of
// binary_primitives.cc. Pure functions but for what they note in Choices.

#pragma once

#include "autograd/reference/partials.h"

namespace twingrad::reference {

// Of a / 0: infinite by a, and so by a divisor that is not 0 / 0's. 0 and -0 are one number, and
// either sign is right.
Partials ByZero(Number a);
Partials PartialsOfLogAddExp(const ElementwisePoint& p, Choices& choices);
Partials PartialsOfAtan2(const ElementwisePoint& p, Choices& choices);
Partials PartialsOfXLogY(const ElementwisePoint& p, Choices& choices);
// Of a - n b, n = a / b without its fraction or, if `floors`, the greatest whole number up to it.
// Where that jumps, the slopes are those from the side on which the value lies.
Partials PartialsOfModulo(const ElementwisePoint& p, bool floors, Choices& choices);

}  // namespace twingrad::reference
