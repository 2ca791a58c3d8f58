// Calls of the engine, which end a Program, and what they start from: roots, seeds and inputs that
// suit each other.

#pragma once

#include "absl/container/inlined_vector.h"
#include "proptests/generators/draft.h"

namespace twingrad::generators {

// A value that requires grad and whose graph is intact; most often the latest.
ValueId PickRoot(Draft& draft);

// A leaf of the value's type, to serve as its seed.
ValueId MakeSeed(Draft& draft, ValueId root, bool grad = false);

// A call from this root, with a seed if it needs one: it does not have exactly one element.
Draft::Call CallFrom(Draft& draft, ValueId root);

// One to three values that require grad, leaves more often than results; sometimes repeated.
absl::InlinedVector<ValueId, 2> PickInputs(Draft& draft);

// Adds one or two more roots to the call, with seeds where they need them: repeated roots, roots
// that depend on one another, leaves.
void AddRoots(Draft& draft, Draft::Call* call);

// One to three calls, backward and grad with every combination of flags; without Feature::kCalls
// one plain backward.
void AddCalls(Draft& draft);

// Adds a gradient of a gradient: grad with create_graph, the product of the result and a vector
// summed to a scalar, and backward through that scalar. False if no value has a gradient that
// depends on anything.
bool AddGradOfGrad(Draft& draft);

}  // namespace twingrad::generators
