// Computes before the run which nodes the roots reach, how many contributions each expects and
// which nodes are needed.

#pragma once

#include "autograd/engine/graph_task.h"
#include "autograd/engine/observer.h"

namespace twingrad {

// Gives every node its dense index and counts the edges into it; parallel edges count separately.
// Nodes deeper than every wanted output (by topological number) are counted but not expanded.
void ComputeDependencies(GraphTask& task);

// If the call has outputs, marks those to execute or capture and all nodes on the way to them; the
// others are not executed. Without outputs, all nodes are executed.
void MarkNeeded(GraphTask& task);

// The view that an observer gets. Walks the graph again.
GraphView ViewOf(const GraphTask& task);

}  // namespace twingrad
