// What calls start from: roots, seeds and inputs that suit each other.

#ifndef PROPTESTS_GENERATORS_ROOT_H_
#define PROPTESTS_GENERATORS_ROOT_H_

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// A value that requires grad and whose graph is intact; most often the latest.
ValueId PickRoot(Draft& draft);

// A leaf of the value's type, to be its seed.
ValueId MakeSeed(Draft& draft, ValueId root, bool grad = false);

// One to three values that require grad, leaves more often than results; repeated now and then.
absl::InlinedVector<ValueId, 2> PickInputs(Draft& draft);

// Makes `grad` of the call, which has inputs, if there are any; unused ones are allowed.
void MakeGrad(Draft& draft, Draft::Call* call);

}  // namespace twingrad::generators

#endif  // PROPTESTS_GENERATORS_ROOT_H_
