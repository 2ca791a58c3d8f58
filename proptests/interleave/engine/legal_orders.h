// LegalOrders: the orders in which the nodes of a small graph may begin to run, on the caller's
// thread and one worker per device. They are computed from the graph alone and compared with what
// schedules show.
//
// The rules: a thread runs one node at a time. It takes the node with the highest key from its
// queue and begins it some time later. A node that has run delivers to all its targets, then queues
// the completed ones one by one; other threads may take them in between.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

namespace twingrad::interleave {

struct OrderedNode {
  int thread = 0;    // runs the node: 0 is the caller, 1 + d the worker of device d
  uint64_t key = 0;  // the highest in a queue runs first; keys in a queue are distinct
  std::vector<int> targets;
};

// All orders, each a list of node indices. At first only node 0, the root, is queued. At most 60
// nodes; practical up to a few thousand orders.
std::set<std::vector<int>> LegalOrders(const std::vector<OrderedNode>& nodes);

}  // namespace twingrad::interleave
