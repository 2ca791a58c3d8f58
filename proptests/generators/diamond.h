// Diamonds: two paths from one value to another.

#ifndef PROPTESTS_GENERATORS_DIAMOND_H_
#define PROPTESTS_GENERATORS_DIAMOND_H_

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// One or two diamonds, each starting where the previous one ends.
void AddDiamond(Draft& draft);

}  // namespace twingrad::generators

#endif  // PROPTESTS_GENERATORS_DIAMOND_H_
