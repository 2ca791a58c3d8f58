// Computes before the run which nodes the roots reach, how many contributions each expects, which
// nodes are needed and, for a run on several threads, in which order one thread would run them.

#pragma once

#include <cstdint>
#include <vector>

#include "autograd/engine/graph_task.h"
#include "autograd/engine/observer.h"

namespace twingrad {

// Gives every node its dense index and counts the edges into it; parallel edges count separately.
// Nodes deeper than every wanted output (by topological number) are counted but not expanded.
void ComputeDependencies(GraphTask& task);

// If the call has outputs, marks those to execute or capture and all nodes on the way to them; the
// others are not executed. Without outputs, all nodes are executed.
void MarkNeeded(GraphTask& task);

// The order of the single-threaded run depends only on keys and edges, so it can be simulated. The
// rank of a node is its place in that order. The contributions to a slot are numbered in the order
// in which that run would deliver them: by (rank of the producer, its output).
struct Ranks {
  // By dense index of a node.
  std::vector<uint32_t> rank;        // of nodes that run
  std::vector<uint32_t> edge_begin;  // where its edges begin in `ordinal`; one more for the end
  std::vector<uint32_t> slot_begin;  // where the slots of its inputs begin
  // By edge: its place among the contributions to its slot.
  std::vector<uint32_t> ordinal;
  // By slot: how many contributions come, and how many of them came from the nodes evaluated.
  std::vector<uint32_t> slot_size;
  std::vector<uint32_t> slot_added;
  uint32_t count = 0;  // of nodes that run
};

// At any time: counts edges anew, since the counts in the states go down while a task runs.
// `evaluated`: how many nodes one thread has evaluated so far, the first in the order.
Ranks ComputeRanks(const GraphTask& task, uint32_t evaluated = 0);

// The view that an observer gets. Walks the graph again.
GraphView ViewOf(const GraphTask& task);

}  // namespace twingrad
