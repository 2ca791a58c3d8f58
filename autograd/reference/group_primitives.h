// Primitives on groups of elements (extremes, softmax and related ones) and the weights of their
// derivatives.
//
// A map says for each element which group it belongs to, as for kScatterAdd; a group is a place of
// a reduction's result. Part of primitives.h, for Evaluate and the calculus.

#pragma once

#include "autograd/reference/primitives.h"

namespace twingrad::reference {

// kExtreme and kLogSumExp give one element per group, kSoftmax and kLogSoftmax one per input
// element.
const Array* EvaluateGroups(Arena& arena, Primitive primitive, const Array* a,
                            const PrimitiveArguments& arguments);

// How much of a group's gradient each element gets: an equal share where several are the extreme,
// unknown where bounds leave open which are. Sets *tie where there are several.
const Array* ExtremeWeight(Arena& arena, const Array* a, const PrimitiveArguments& arguments,
                           bool* tie);
// 1 between the limits, 0 outside them, and 0 at them if `flat_at_limits`; unknown where the bound
// crosses a limit. Sets *kink where a number is at a limit.
const Array* ClampWeight(Arena& arena, const Array* a, const PrimitiveArguments& arguments,
                         bool* kink, bool flat_at_limits = true);

}  // namespace twingrad::reference
