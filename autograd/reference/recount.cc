#include "autograd/reference/recount.h"

#include <algorithm>
#include <limits>

#include "absl/container/inlined_vector.h"

namespace twingrad::reference {
namespace {

using program::CallRecord;
using program::EdgeRecord;
using program::NodeRole;

// An edge, in the list of those that lead to the same node.
struct Arc {
  int32_t from;
  int32_t next;  // in the list; -1: none
};

struct Arcs {
  absl::InlinedVector<Arc, 48> all;
  ByNode<int32_t> first;  // by node: of the list of what leads to it; -1: nothing does
  ByNode<int32_t> out;    // by node: how many lead from it
};

bool InRange(const EdgeRecord& edge, size_t nodes) {
  return edge.node >= -1 && edge.node < static_cast<int64_t>(nodes);
}

// Fills the lists. What is malformed, or an empty text.
std::string TakeArcs(const CallRecord& call, Arcs& arcs) {
  const size_t count = call.nodes.size();
  arcs.first.resize(count, -1);
  arcs.out.resize(count, 0);
  for (size_t n = 0; n < count; ++n) {
    for (const EdgeRecord& edge : call.nodes[n].next_edges) {
      if (!InRange(edge, count)) return "an edge leads to a node that is not listed";
      if (edge.node < 0) continue;
      int32_t& first = arcs.first[edge.node];
      arcs.all.push_back({static_cast<int32_t>(n), first});
      first = static_cast<int32_t>(arcs.all.size()) - 1;
      ++arcs.out[n];
    }
  }
  for (const auto* edges : {&call.roots, &call.inputs}) {
    for (const EdgeRecord& edge : *edges) {
      if (!InRange(edge, count)) return "a root or input is a node that is not listed";
    }
  }
  if (call.roots.empty() || call.roots[0].node < 0) return "no root";
  return "";
}

struct Order {
  ByNode<int32_t> heights;  // longest paths to a leaf
  // The nodes from the leaves up, each after all that it leads to. Those of a cycle, and what leads
  // there, are missing.
  ByNode<int32_t> upward;
};

// The height of a node is known when those of all that it leads to are.
Order OrderOf(const Arcs& arcs) {
  const size_t count = arcs.first.size();
  Order order{ByNode<int32_t>(count, 0), {}};
  order.upward.reserve(count);
  ByNode<int32_t> unknown = arcs.out;
  for (size_t n = 0; n < count; ++n) {
    if (unknown[n] == 0) order.upward.push_back(static_cast<int32_t>(n));
  }
  for (size_t i = 0; i < order.upward.size(); ++i) {
    const int32_t height = order.heights[order.upward[i]] + 1;
    for (int32_t a = arcs.first[order.upward[i]]; a >= 0; a = arcs.all[a].next) {
      const int32_t from = arcs.all[a].from;
      order.heights[from] = std::max(order.heights[from], height);
      if (--unknown[from] == 0) order.upward.push_back(from);
    }
  }
  return order;
}

int32_t StartOf(const CallRecord& call) {
  for (size_t n = 0; n < call.nodes.size(); ++n) {
    if (call.nodes[n].name.role == NodeRole::kGraphRoot) return static_cast<int32_t>(n);
  }
  return call.roots[0].node;
}

int32_t LeastHeight(const CallRecord& call, const ByNode<int32_t>& heights) {
  int32_t least = call.inputs.empty() ? 0 : std::numeric_limits<int32_t>::max();
  for (const EdgeRecord& input : call.inputs) {
    // An input that no root reaches is a leaf or stands alone.
    least = std::min(least, input.node < 0 ? 0 : heights[input.node]);
  }
  return least;
}

// The nodes whose edges the run follows, downwards: from the start on, none below the lowest input.
// Counts these edges where they lead.
ByNode<bool> Follow(const CallRecord& call, const Order& order, int32_t start,
                    ByNode<int32_t>& dependencies) {
  const int32_t least = LeastHeight(call, order.heights);
  ByNode<bool> followed(call.nodes.size(), false);
  followed[start] = order.heights[start] >= least;
  for (size_t i = order.upward.size(); i-- > 0;) {
    const int32_t node = order.upward[i];
    if (!followed[node]) continue;
    for (const EdgeRecord& edge : call.nodes[node].next_edges) {
      if (edge.node < 0) continue;
      if (order.heights[edge.node] >= least) followed[edge.node] = true;
      dependencies[edge.node] = std::max(dependencies[edge.node], 0) + 1;
    }
  }
  return followed;
}

// Upwards from the inputs, every node that is followed and leads to an input or to a needed node.
ByNode<bool> FindNeeded(const CallRecord& call, const Order& order, const ByNode<bool>& followed) {
  ByNode<bool> wanted(call.nodes.size(), false);  // the inputs and what is needed
  for (const EdgeRecord& edge : call.inputs) {
    if (edge.node >= 0) wanted[edge.node] = true;
  }
  ByNode<bool> needed(call.nodes.size(), false);
  if (call.accumulate_grad) needed = wanted;
  for (const int32_t node : order.upward) {
    if (!followed[node]) continue;
    for (const EdgeRecord& edge : call.nodes[node].next_edges) {
      if (edge.node >= 0 && wanted[edge.node]) needed[node] = wanted[node] = true;
    }
  }
  return needed;
}

}  // namespace

Recount RecountCall(const CallRecord& call) {
  Recount recount;
  Arcs arcs;
  recount.malformed = TakeArcs(call, arcs);
  if (!recount.malformed.empty()) return recount;
  const size_t count = call.nodes.size();
  const Order order = OrderOf(arcs);
  if (order.upward.size() != count) {
    recount.malformed = "the graph has a cycle";
    return recount;
  }
  const int32_t start = StartOf(call);
  recount.dependencies.resize(count, -1);
  const ByNode<bool> followed = Follow(call, order, start, recount.dependencies);
  const bool filtered = !call.inputs.empty();
  if (filtered) recount.needed = FindNeeded(call, order, followed);
  recount.executed.resize(count);
  for (size_t n = 0; n < count; ++n) {
    const bool reached = recount.dependencies[n] > 0 || static_cast<int32_t>(n) == start;
    recount.executed[n] = reached && (!filtered || recount.needed[n]);
  }
  return recount;
}

}  // namespace twingrad::reference
