#include "autograd/reference/recount.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"

namespace twingrad::reference {
namespace {

using program::CallRecord;
using program::EdgeRecord;
using program::NodeRole;

// One edge, as a pair in one flat list.
struct Arc {
  int32_t from;
  int32_t to;
};
using Arcs = absl::InlinedVector<Arc, 48>;

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

Arcs ArcsOf(const CallRecord& call) {
  Arcs arcs;
  for (size_t n = 0; n < call.nodes.size(); ++n) {
    for (const EdgeRecord& edge : call.nodes[n].next_edges) {
      if (edge.node >= 0) arcs.push_back({static_cast<int32_t>(n), edge.node});
    }
  }
  return arcs;
}

// Of each node, those that lead to it.
class Above {
 public:
  Above(size_t nodes, const Arcs& arcs) : begin_(nodes + 2), from_(arcs.size()) {
    // Counted one place further on than they belong: each list then moves its begin to its end,
    // which is the begin of the next.
    const absl::Span<uint32_t> begin(begin_);
    for (const Arc& arc : arcs) ++begin[static_cast<size_t>(arc.to) + 2];
    for (size_t n = 0; n < nodes; ++n) begin[n + 2] += begin[n + 1];
    const absl::Span<int32_t> from(from_);
    for (const Arc& arc : arcs) from[begin[static_cast<size_t>(arc.to) + 1]++] = arc.from;
  }

  absl::Span<const int32_t> operator[](int32_t node) const {
    const auto n = static_cast<size_t>(node);
    return {from_.data() + begin_[n], begin_[n + 1] - begin_[n]};
  }

 private:
  ByNode<uint32_t> begin_;  // of a node's list; that of the next is its end
  absl::InlinedVector<int32_t, 48> from_;
};

// Grows `set` to the fixed point: with a node, those of its others that may belong to it.
// `for_each_other` calls a function with each. `grown` are the nodes in it to begin with.
template <typename ForEachOther, typename May>
void Grow(absl::Span<bool> set, ByNode<int32_t> grown, ForEachOther for_each_other, May may) {
  for (size_t i = 0; i < grown.size(); ++i) {
    for_each_other(grown[i], [&](int32_t other) {
      if (set[other] || !may(other)) return;
      set[other] = true;
      grown.push_back(other);
    });
  }
}

// Longest paths to a leaf, from the leaves up: the height of a node is known when those of all that
// it leads to are. Empty when there is a cycle, whose nodes are never known.
ByNode<int32_t> Heights(size_t nodes, const Arcs& arcs, const Above& above) {
  ByNode<int32_t> heights(nodes, 0), unknowns(nodes, 0);
  const absl::Span<int32_t> height(heights), unknown(unknowns);
  for (const Arc& arc : arcs) ++unknown[arc.from];
  ByNode<int32_t> known;
  for (size_t n = 0; n < nodes; ++n) {
    if (unknown[n] == 0) known.push_back(static_cast<int32_t>(n));
  }
  for (size_t i = 0; i < known.size(); ++i) {
    const int32_t node = known[i];
    for (const int32_t from : above[node]) {
      height[from] = std::max(height[from], height[node] + 1);
      if (--unknown[from] == 0) known.push_back(from);
    }
  }
  if (known.size() < nodes) heights.clear();
  return heights;
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

}  // namespace

Recount RecountCall(const CallRecord& call) {
  Recount recount;
  recount.malformed = FindMalformed(call);
  if (!recount.malformed.empty()) return recount;
  const size_t count = call.nodes.size();
  const Arcs arcs = ArcsOf(call);
  const Above above(count, arcs);
  const ByNode<int32_t> heights = Heights(count, arcs, above);
  if (heights.empty()) {
    recount.malformed = "the graph has a cycle";
    return recount;
  }
  const int32_t start = StartOf(call);
  const int32_t least = LeastHeight(call, heights);
  // The nodes whose edges the run follows: from the start on, none below the lowest input.
  ByNode<bool> followed(count);
  if (heights[start] >= least) {
    followed[start] = true;
    const auto for_each_below = [&](int32_t node, auto visit) {
      for (const EdgeRecord& edge : call.nodes[static_cast<size_t>(node)].next_edges) {
        if (edge.node >= 0) visit(edge.node);
      }
    };
    const absl::Span<const int32_t> height(heights);
    Grow(absl::MakeSpan(followed), {start}, for_each_below,
         [&](int32_t node) { return height[node] >= least; });
  }

  recount.dependencies.assign(count, -1);
  const absl::Span<int32_t> dependencies(recount.dependencies);
  const absl::Span<const bool> follows(followed);
  for (const Arc& arc : arcs) {
    if (follows[arc.from]) dependencies[arc.to] = std::max(dependencies[arc.to], 0) + 1;
  }

  recount.executed = followed;
  const absl::Span<bool> executed(recount.executed);
  executed[start] = true;
  for (size_t n = 0; n < count; ++n) executed[n] |= dependencies[n] > 0;
  if (call.inputs.empty()) return recount;
  // Wanted: the inputs and, upwards from there, every node that leads to a wanted one.
  recount.needed.resize(count);
  const absl::Span<bool> needed(recount.needed);
  ByNode<int32_t> inputs;
  for (const EdgeRecord& edge : call.inputs) {
    if (edge.node < 0) continue;
    inputs.push_back(edge.node);
    if (call.accumulate_grad) needed[edge.node] = true;
  }
  const auto for_each_above = [&](int32_t node, auto visit) {
    for (const int32_t from : above[node]) visit(from);
  };
  Grow(needed, std::move(inputs), for_each_above, [&](int32_t node) { return follows[node]; });
  for (size_t n = 0; n < count; ++n) executed[n] &= needed[n];
  return recount;
}

}  // namespace twingrad::reference
