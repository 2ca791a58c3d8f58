// Several devices: a value copied to two or three of them, worked on there, and brought together
// again.

#ifndef PROPTESTS_GENERATORS_DEVICES_H_
#define PROPTESTS_GENERATORS_DEVICES_H_

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// A fan over devices.
void AddDevices(Draft& draft);

}  // namespace twingrad::generators

#endif  // PROPTESTS_GENERATORS_DEVICES_H_
