// Several roots in one call: repeated roots, roots that depend on one another, leaves.

#ifndef PROPTESTS_GENERATORS_SEVERAL_ROOTS_H_
#define PROPTESTS_GENERATORS_SEVERAL_ROOTS_H_

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// Adds one or two more roots to the call, with seeds where they need them.
void AddRoots(Draft& draft, Draft::Call* call);

}  // namespace twingrad::generators

#endif  // PROPTESTS_GENERATORS_SEVERAL_ROOTS_H_
