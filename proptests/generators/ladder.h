// Ladders: each rung takes the two values before it, so that the number of paths grows as
// Fibonacci's.

#ifndef PROPTESTS_GENERATORS_LADDER_H_
#define PROPTESTS_GENERATORS_LADDER_H_

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// Two or three rungs.
void AddLadder(Draft& draft);

}  // namespace twingrad::generators

#endif  // PROPTESTS_GENERATORS_LADDER_H_
