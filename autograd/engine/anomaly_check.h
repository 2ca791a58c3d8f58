// What the engine does about anomaly mode (graph/anomaly.h): the check for NaN, and errors that say
// where the node that raised them was made.

#pragma once

#include <exception>

#include "autograd/engine/graph_task.h"
#include "autograd/graph/node.h"

namespace twingrad {

// Throws Error(kAnomaly) if a result of the node has a NaN.
void CheckForNan(const Node& node, const VariableList& results);

// An error that `node` raised, with where the node was made: an Error says it in its message, of
// another exception the task keeps a warning that says it. Without anomaly mode as it is.
std::exception_ptr Explained(std::exception_ptr error, GraphTask& task, const Node& node);

}  // namespace twingrad
