// LegalOrders: in which orders the nodes of a small graph may begin to run, on the caller's thread
// and a worker a device; computed from the graph alone, to be compared with what schedules show.
//
// The rules: a thread runs one node at a time: it takes the one with the highest key of those in
// its queue, and begins it some time later. A node that has run delivers to all its targets, then
// queues those that this made complete, one by one; other threads may take them meanwhile.
#ifndef PROPTESTS_INTERLEAVE_ENGINE_LEGAL_ORDERS_H_
#define PROPTESTS_INTERLEAVE_ENGINE_LEGAL_ORDERS_H_

#include <cstdint>
#include <set>
#include <vector>

namespace twingrad::interleave {

struct OrderedNode {
  int thread = 0;    // that runs it: 0, the caller, or 1 + device
  uint64_t key = 0;  // the highest of a queue runs first; no two in a queue are equal
  std::vector<int> targets;
};

// All orders, each a list of node indices. Node 0 is the root, which alone is queued at first. At
// most 60 nodes; a few thousand orders are as many as is sensible.
std::set<std::vector<int>> LegalOrders(const std::vector<OrderedNode>& nodes);

}  // namespace twingrad::interleave

#endif  // PROPTESTS_INTERLEAVE_ENGINE_LEGAL_ORDERS_H_
