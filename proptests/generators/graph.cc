#include "proptests/generators/graph.h"

#include <algorithm>

namespace twingrad::generators {

NodeFlags Graph::Reached(absl::Span<const NodeIndex> roots) const {
  NodeFlags reached(nodes_.size(), 0);
  for (NodeIndex root : roots) {
    if (root != kNoNode) reached[root] = 1;
  }
  for (NodeIndex i = size() - 1; i >= 0; --i) {
    if (!reached[i]) continue;
    for (NodeIndex next : nodes_[i].edges) {
      if (next != kNoNode) reached[next] = 1;
    }
  }
  return reached;
}

bool Graph::IsBroken(absl::Span<const NodeIndex> roots) const {
  for (size_t i = broken_.size(); i < nodes_.size(); ++i) {
    const GraphNode& node = nodes_[i];
    bool broken = node.saves && (node.freed || node.stale);
    for (const NodeIndex next : node.edges) broken |= next != kNoNode && broken_[next] != 0;
    broken_.push_back(broken ? 1 : 0);
  }
  return std::ranges::any_of(
      roots, [this](NodeIndex root) { return root != kNoNode && broken_[root] != 0; });
}

void Graph::Free(const NodeFlags& reached) {
  broken_.clear();
  for (int i = 0; i < size(); ++i) {
    if (reached[i]) nodes_[i].freed = true;
  }
}

GradientFacts Graph::Gradient(absl::Span<const NodeIndex> roots, absl::Span<const NodeIndex> seeds,
                              NodeIndex target) const {
  GradientFacts facts;
  if (target == kNoNode) return facts;
  // Bit 0: a gradient arrives; bit 1: a gradient that requires grad arrives; bit 2: the target lies
  // below.
  NodeFlags state(nodes_.size(), 0);
  state[target] |= 4;
  for (NodeIndex i = target + 1; i < size(); ++i) {
    for (NodeIndex next : nodes_[i].edges) {
      if (next != kNoNode) state[i] |= state[next] & 4;
    }
  }
  NodeFlags known(nodes_.size(), 0);  // the dependencies
  const auto depend = [&facts, &known](NodeIndex node) {
    if (node == kNoNode || known[node] != 0) return;
    known[node] = 1;
    facts.dependencies.push_back(node);
  };
  for (size_t r = 0; r < roots.size(); ++r) {
    if (roots[r] == kNoNode) continue;
    state[roots[r]] |= seeds[r] == kNoNode ? 1 : 3;
    if (state[roots[r]] & 4) depend(seeds[r]);
  }
  for (NodeIndex i = size() - 1; i > target; --i) {
    if ((state[i] & 5) != 5) continue;
    const GraphNode& node = nodes_[i];
    for (size_t e = 0; e < node.edges.size(); ++e) {
      const NodeIndex next = node.edges[e];
      if (next == kNoNode) continue;
      const bool requires_grad = (state[i] & 2) || node.IsNonlinear(e);
      state[next] |= requires_grad ? 3 : 1;
    }
    for (NodeIndex factor : node.factors) depend(factor);
  }
  facts.reached = state[target] & 1;
  facts.requires_grad = state[target] & 2;
  if (!facts.requires_grad) facts.dependencies.clear();
  return facts;
}

}  // namespace twingrad::generators
