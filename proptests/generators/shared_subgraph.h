// Shared subgraphs: two results above one part of the graph, for several roots and several calls.

#ifndef PROPTESTS_GENERATORS_SHARED_SUBGRAPH_H_
#define PROPTESTS_GENERATORS_SHARED_SUBGRAPH_H_

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// A chain with two different ends.
void AddSharedSubgraph(Draft& draft);

}  // namespace twingrad::generators

#endif  // PROPTESTS_GENERATORS_SHARED_SUBGRAPH_H_
