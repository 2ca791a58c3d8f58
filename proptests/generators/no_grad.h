// Values without history: no_grad regions, writes to leaves within them, detach.

#pragma once

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// One of these.
void AddNoGrad(Draft& draft);

}  // namespace twingrad::generators
