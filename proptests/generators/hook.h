// Hooks of every kind that a Program can hold, and retain_grad.

#ifndef PROPTESTS_GENERATORS_HOOK_H_
#define PROPTESTS_GENERATORS_HOOK_H_

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// A hook on some value, sometimes removed again.
void AddHook(Draft& draft);

}  // namespace twingrad::generators

#endif  // PROPTESTS_GENERATORS_HOOK_H_
