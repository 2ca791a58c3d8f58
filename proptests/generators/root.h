// What calls start from: roots, seeds and inputs that suit each other.

#pragma once

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// A value that requires grad and whose graph is intact; most often the latest.
ValueId PickRoot(Draft& draft);

// A leaf of the value's type, to serve as its seed.
ValueId MakeSeed(Draft& draft, ValueId root, bool grad = false);

// One to three values that require grad, leaves more often than results; sometimes repeated.
absl::InlinedVector<ValueId, 2> PickInputs(Draft& draft);

// Turns the call into a `grad`, with inputs picked if it has none, unless there are none to pick;
// sets allow_unused where an input is not reached.
void MakeGrad(Draft& draft, Draft::Call* call);

}  // namespace twingrad::generators
