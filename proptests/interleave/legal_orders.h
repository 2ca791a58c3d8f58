// LegalOrders: in which orders the nodes of a small graph may begin to run, on the caller's thread
// and a worker a device; computed from the graph alone, to be compared with what schedules show.
//
// The rules: a thread runs one node at a time, of those in its queue when it takes one the node
// with the highest key. A node that has run first delivers to all its targets, then queues those
// that this made complete, one by one, and other threads may begin them meanwhile.
#ifndef PROPTESTS_INTERLEAVE_LEGAL_ORDERS_H_
#define PROPTESTS_INTERLEAVE_LEGAL_ORDERS_H_

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

#endif  // PROPTESTS_INTERLEAVE_LEGAL_ORDERS_H_
