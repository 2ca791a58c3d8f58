#include "autograd/reference/recount.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace twingrad::reference {
namespace {

using program::CallRecord;
using program::EdgeRecord;
using program::NodeRole;

// One edge, as a pair in one flat list: the simplest form for set equations.
struct Arc {
  int32_t from;
  int32_t to;
};

bool InRange(const EdgeRecord& edge, size_t nodes) {
  return edge.node >= -1 && edge.node < static_cast<int64_t>(nodes);
}

std::string FindMalformed(const CallRecord& call) {
  const size_t count = call.nodes.size();
  for (const auto& node : call.nodes) {
    for (const EdgeRecord& edge : node.next_edges) {
      if (!InRange(edge, count)) return "an edge leads to a node that is not listed";
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

std::vector<Arc> ArcsOf(const CallRecord& call) {
  std::vector<Arc> arcs;
  arcs.reserve(2 * call.nodes.size());
  for (size_t n = 0; n < call.nodes.size(); ++n) {
    for (const EdgeRecord& edge : call.nodes[n].next_edges) {
      if (edge.node >= 0) arcs.push_back({static_cast<int32_t>(n), edge.node});
    }
  }
  return arcs;
}

// Longest paths to a leaf, relaxed until nothing changes; empty when there is a cycle. Nodes are
// mostly listed from the roots on, so relaxing the last arcs first takes few rounds.
std::vector<int32_t> Heights(size_t nodes, const std::vector<Arc>& arcs) {
  std::vector<int32_t> heights(nodes, 0);
  for (size_t round = 0; round <= nodes; ++round) {
    bool changed = false;
    for (auto arc = arcs.rbegin(); arc != arcs.rend(); ++arc) {
      if (heights[arc->from] > heights[arc->to]) continue;
      heights[arc->from] = heights[arc->to] + 1;
      changed = true;
    }
    if (!changed) return heights;
  }
  return {};
}

int32_t StartOf(const CallRecord& call) {
  for (size_t n = 0; n < call.nodes.size(); ++n) {
    if (call.nodes[n].name.role == NodeRole::kGraphRoot) return static_cast<int32_t>(n);
  }
  return call.roots[0].node;
}

int32_t LeastHeight(const CallRecord& call, const std::vector<int32_t>& heights) {
  int32_t least = call.inputs.empty() ? 0 : std::numeric_limits<int32_t>::max();
  for (const EdgeRecord& input : call.inputs) {
    // An input that no root reaches is a leaf or stands alone.
    least = std::min(least, input.node < 0 ? 0 : heights[input.node]);
  }
  return least;
}

// The nodes whose edges the run follows: from the start on, none below the lowest input.
std::vector<bool> Followed(int32_t start, const std::vector<Arc>& arcs,
                           const std::vector<int32_t>& heights, int32_t least) {
  std::vector<bool> followed(heights.size());
  followed[start] = heights[start] >= least;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Arc& arc : arcs) {
      if (followed[arc.from] && !followed[arc.to] && heights[arc.to] >= least) {
        followed[arc.to] = changed = true;
      }
    }
  }
  return followed;
}

}  // namespace

Recount RecountCall(const CallRecord& call) {
  Recount recount;
  recount.malformed = FindMalformed(call);
  if (!recount.malformed.empty()) return recount;
  const size_t count = call.nodes.size();
  const std::vector<Arc> arcs = ArcsOf(call);
  const std::vector<int32_t> heights = Heights(count, arcs);
  if (heights.empty()) {
    recount.malformed = "the graph has a cycle";
    return recount;
  }
  const int32_t start = StartOf(call);
  const std::vector<bool> followed = Followed(start, arcs, heights, LeastHeight(call, heights));

  recount.dependencies.assign(count, -1);
  for (const Arc& arc : arcs) {
    int32_t& dependencies = recount.dependencies[arc.to];
    if (followed[arc.from]) dependencies = std::max(dependencies, 0) + 1;
  }

  std::vector<bool> reached = followed;
  for (size_t n = 0; n < count; ++n) {
    if (recount.dependencies[n] > 0 || static_cast<int32_t>(n) == start) reached[n] = true;
  }
  if (call.inputs.empty()) {
    recount.executed = reached;
    return recount;
  }
  // Wanted: the inputs and, upwards from there, every node that leads to a wanted one.
  std::vector<bool> input(count), needed(count);
  for (const EdgeRecord& edge : call.inputs) {
    if (edge.node < 0) continue;
    input[edge.node] = true;
    if (call.accumulate_grad) needed[edge.node] = true;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (auto arc = arcs.rbegin(); arc != arcs.rend(); ++arc) {
      if (!followed[arc->from] || needed[arc->from]) continue;
      if (needed[arc->to] || input[arc->to]) needed[arc->from] = changed = true;
    }
  }
  recount.executed.assign(count, false);
  for (size_t n = 0; n < count; ++n) recount.executed[n] = needed[n] && reached[n];
  recount.needed = std::move(needed);
  return recount;
}

}  // namespace twingrad::reference
