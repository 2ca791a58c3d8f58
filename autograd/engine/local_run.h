// A run on one thread. It takes no lock, uses only the nodes' own atomics and allocates only
// gradients.

#pragma once

#include "autograd/engine/graph_task.h"

namespace twingrad {

// Evaluates all nodes of the task here. Contributions arrive in the canonical order by themselves.
void RunLocally(GraphTask& task);

}  // namespace twingrad
