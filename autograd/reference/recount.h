// Recounts a call from the list of its nodes: dependencies, topological pruning, what must execute.
//
// Serves every graph, those of create_graph and of foreign engines included. Its algorithm is not
// the engine's: no depth-first walk with counters, but sets that grow to a fixed point. A pure
// function.

#ifndef AUTOGRAD_REFERENCE_RECOUNT_H_
#define AUTOGRAD_REFERENCE_RECOUNT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "autograd/program/observation.h"

namespace twingrad::reference {

struct Recount {
  // By node: edges into it that the run will deliver through, -1 where there is none.
  std::vector<int32_t> dependencies;
  // By node: whether the run is to execute it; empty for a plain backward.
  std::vector<bool> needed;
  // By node: applied once in a run that ends well (captures alone are not applied).
  std::vector<bool> executed;
  // Why the record makes no sense (an edge out of range, a cycle); empty when it does.
  std::string malformed;
};

// `call.nodes`, `roots`, `inputs` and `accumulate_grad` are read, the engine's own counters are
// not. The run starts at the node of role kGraphRoot if there is one, else at the only root.
Recount RecountCall(const program::CallRecord& call);

}  // namespace twingrad::reference

#endif  // AUTOGRAD_REFERENCE_RECOUNT_H_
