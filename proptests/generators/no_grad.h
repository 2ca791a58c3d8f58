// Values without history: no_grad regions, writes to leaves within them, detach.

#ifndef PROPTESTS_GENERATORS_NO_GRAD_H_
#define PROPTESTS_GENERATORS_NO_GRAD_H_

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// One of these.
void AddNoGrad(Draft& draft);

}  // namespace twingrad::generators

#endif  // PROPTESTS_GENERATORS_NO_GRAD_H_
