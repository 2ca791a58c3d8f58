// Diamonds: two ways from one value to another.

#ifndef PROPTESTS_GENERATORS_DIAMOND_H_
#define PROPTESTS_GENERATORS_DIAMOND_H_

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// One or two diamonds, each standing on the tip of the one before.
void AddDiamond(Draft& draft);

}  // namespace twingrad::generators

#endif  // PROPTESTS_GENERATORS_DIAMOND_H_
