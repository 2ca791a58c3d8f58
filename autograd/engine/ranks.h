// Ranks: the order of the single-threaded run of a task, computed before the run.
//
// The order in which one thread evaluates nodes depends only on their keys and edges, so it can be
// simulated beforehand. The rank of a node is its place in that order. The contributions to a slot
// are numbered in the order in which that run would deliver them: by (rank of the producer, its
// output).

#pragma once

#include <cstdint>
#include <vector>

#include "autograd/engine/graph_task.h"

namespace twingrad {

struct Ranks {
  // By dense index of a node.
  std::vector<uint32_t> rank;        // of nodes that run
  std::vector<uint32_t> edge_begin;  // where its edges begin in `ordinal`
  std::vector<uint32_t> slot_begin;  // where the slots of its inputs begin
  // By edge: its place among the contributions to its slot.
  std::vector<uint32_t> ordinal;
  // By slot: how many contributions come.
  std::vector<uint32_t> slot_size;
  uint32_t count = 0;  // of nodes that run
};

Ranks ComputeRanks(const GraphTask& task);

}  // namespace twingrad
