// Chains: each op takes the result of the one before.

#ifndef PROPTESTS_GENERATORS_CHAIN_H_
#define PROPTESTS_GENERATORS_CHAIN_H_

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// Two to four ops in a row, begun at some value.
void AddChain(Draft& draft);

}  // namespace twingrad::generators

#endif  // PROPTESTS_GENERATORS_CHAIN_H_
