// Shared subgraphs: two results above one part of the graph, for several roots and several calls.

#pragma once

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// A chain with two different ends.
void AddSharedSubgraph(Draft& draft);

}  // namespace twingrad::generators
