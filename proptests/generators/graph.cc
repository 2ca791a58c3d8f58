#include "proptests/generators/graph.h"

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

void Graph::FindBroken() const {
  for (size_t i = broken_.size(); i < nodes_.size(); ++i) {
    const GraphNode& node = nodes_[i];
    bool broken = node.saves && (node.freed || node.stale);
    for (const NodeIndex next : node.edges) broken |= next != kNoNode && broken_[next] != 0;
    broken_.push_back(broken ? 1 : 0);
  }
}

void Graph::Free(const NodeFlags& reached) {
  broken_.clear();
  for (int i = 0; i < size(); ++i) {
    if (reached[i]) nodes_[i].freed = true;
  }
}

namespace {

// Bits of a node's state.
constexpr uint8_t kArrives = 1;       // a gradient arrives
constexpr uint8_t kRequiresGrad = 2;  // one that requires grad does

}  // namespace

NodeFlags Graph::Differentiable(absl::Span<const NodeIndex> roots,
                                absl::Span<const NodeIndex> seeds) const {
  NodeFlags state(nodes_.size(), 0);
  for (size_t r = 0; r < roots.size(); ++r) {
    if (roots[r] == kNoNode) continue;
    state[roots[r]] |= seeds[r] == kNoNode ? kArrives : kArrives | kRequiresGrad;
  }
  for (NodeIndex i = size() - 1; i >= 0; --i) {
    if (state[i] != 0) PassOn(i, state);
  }
  for (uint8_t& flags : state) flags = (flags & kRequiresGrad) != 0 ? 1 : 0;
  return state;
}

void Graph::PassOn(NodeIndex i, NodeFlags& state) const {
  const GraphNode& node = nodes_[i];
  for (size_t e = 0; e < node.edges.size(); ++e) {
    if (node.edges[e] == kNoNode) continue;
    const bool requires_grad = (state[i] & kRequiresGrad) != 0 || node.IsNonlinear(e);
    state[node.edges[e]] |= requires_grad ? kArrives | kRequiresGrad : kArrives;
  }
}

GradientFacts Graph::Gradient(absl::Span<const NodeIndex> roots, absl::Span<const NodeIndex> seeds,
                              NodeIndex target) const {
  GradientFacts facts;
  if (target == kNoNode) return facts;
  constexpr uint8_t kLeadsThere = 4;  // to the target
  NodeFlags state(nodes_.size(), 0);
  state[target] |= kLeadsThere;
  for (NodeIndex i = target + 1; i < size(); ++i) {
    for (NodeIndex next : nodes_[i].edges) {
      if (next != kNoNode) state[i] |= state[next] & kLeadsThere;
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
    state[roots[r]] |= seeds[r] == kNoNode ? kArrives : kArrives | kRequiresGrad;
    if (state[roots[r]] & kLeadsThere) depend(seeds[r]);
  }
  for (NodeIndex i = size() - 1; i > target; --i) {
    if ((state[i] & kArrives) == 0 || (state[i] & kLeadsThere) == 0) continue;
    PassOn(i, state);
    for (NodeIndex factor : nodes_[i].factors) depend(factor);
  }
  facts.reached = state[target] & kArrives;
  facts.requires_grad = state[target] & kRequiresGrad;
  if (!facts.requires_grad) facts.dependencies.clear();
  return facts;
}

}  // namespace twingrad::generators
