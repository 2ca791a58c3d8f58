// Before the run: which nodes the roots reach, how many contributions each expects, which are
// needed.

#ifndef AUTOGRAD_ENGINE_DEPENDENCIES_H_
#define AUTOGRAD_ENGINE_DEPENDENCIES_H_

#include "autograd/engine/graph_task.h"
#include "autograd/engine/observer.h"

namespace twingrad {

// Gives every node its dense index and counts the edges into it, parallel ones each. Nodes that lie
// deeper than every wanted output (by topological number) are counted but not looked behind.
void ComputeDependencies(GraphTask& task);

// With outputs: marks those to execute or capture, and all nodes on the way to them; the others
// are not executed. Without, all are.
void MarkNeeded(GraphTask& task);

// What an observer is told. Walks the graph again.
GraphView ViewOf(const GraphTask& task);

}  // namespace twingrad

#endif  // AUTOGRAD_ENGINE_DEPENDENCIES_H_
