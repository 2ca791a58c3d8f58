// Ladders: each rung takes the two values before it, so that the number of paths grows like the
// Fibonacci numbers.

#ifndef PROPTESTS_GENERATORS_LADDER_H_
#define PROPTESTS_GENERATORS_LADDER_H_

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// Two or three rungs.
void AddLadder(Draft& draft);

}  // namespace twingrad::generators

#endif  // PROPTESTS_GENERATORS_LADDER_H_
