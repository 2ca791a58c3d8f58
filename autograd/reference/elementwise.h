// The family of elementwise primitives: one function of each element, or of each pair of elements.
//
// A new elementwise primitive is a row of EvaluateFloats (and of IntegerResult, where integers have
// it); its derivatives are rows of calculus_derivatives.cc and partials.cc.

#pragma once

#include <cstdint>

#include "autograd/reference/arena.h"
#include "autograd/reference/primitives.h"

namespace twingrad::reference {

// `b` is null for primitives of one operand.
const Array* EvaluateIntegers(Arena& arena, Primitive primitive, const Array* a, const Array* b);
// `lenient`: see Evaluate().
const Array* EvaluateFloats(Arena& arena, Primitive primitive, const Array* a, const Array* b,
                            bool lenient);

// A sum in two's complement, which wraps.
int64_t WrapAdd(int64_t a, int64_t b);

}  // namespace twingrad::reference
