// Several devices: a value copied to two or three of them, worked on there, and brought together
// again.

#pragma once

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// A fan over devices.
void AddDevices(Draft& draft);

}  // namespace twingrad::generators
