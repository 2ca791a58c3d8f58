// Recomputes dependencies, topological pruning and execution sets of a call from the list of its
// nodes.
//
// Works on every graph, including those of create_graph and of foreign engines. Its algorithm
// differs from the engine's: instead of a depth-first walk with counters, nodes are put in an order
// from the leaves up, and what is followed and needed is read along it. Takes time in proportion to
// nodes and edges. A pure function.

#pragma once

#include <cstdint>
#include <string>

#include "absl/container/inlined_vector.h"
#include "autograd/program/observation.h"

namespace twingrad::reference {

// By node; most graphs have few.
template <typename T>
using ByNode = absl::InlinedVector<T, 32>;

struct Recount {
  // By node: the number of incoming edges that the run delivers through, -1 where there is none.
  ByNode<int32_t> dependencies;
  // By node: whether the run is to execute it; empty for a plain backward.
  ByNode<bool> needed;
  // By node: applied once in a run without errors (nodes that are only captured are not applied).
  ByNode<bool> executed;
  // Why the record is inconsistent (an edge out of range, a cycle); empty if it is consistent.
  std::string malformed;
};

// `call.nodes`, `roots`, `inputs` and `accumulate_grad` are read, the engine's own counters are
// not. The run starts at the node of role kGraphRoot if there is one, else at the only root.
Recount RecountCall(const program::CallRecord& call);

}  // namespace twingrad::reference
