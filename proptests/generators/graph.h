// An approximation of the graph that a Program under construction will record.
//
// It tells which inputs a call reaches, whether a gradient will itself require grad, and whether a
// call would need freed or overwritten saved variables, so that a generator raises errors only on
// purpose. The approximation is conservative; the twin, not this file, defines what is correct.

#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"

namespace twingrad::generators {

using NodeIndex = int32_t;
inline constexpr NodeIndex kNoNode = -1;

struct GraphNode {
  // One per differentiable operand; kNoNode where that operand does not require grad. All are lower
  // than the node's own index.
  absl::InlinedVector<NodeIndex, 3> edges = {};
  // Bit i: the derivative for edge i depends on something that requires grad. Edges after the
  // eighth, which stack and cat have, are linear.
  uint8_t nonlinear = 0;
  bool IsNonlinear(size_t edge) const { return edge < 8 && (nonlinear >> edge & 1) != 0; }
  // The nodes of the values that the derivatives depend on.
  absl::InlinedVector<NodeIndex, 2> factors = {};
  bool saves = false;
  bool freed = false;  // its saved variables were freed
  bool stale = false;  // a saved variable was overwritten
};

// What is known of the gradient of `target` that a call computes.
struct GradientFacts {
  bool reached = false;
  bool requires_grad = false;                      // under create_graph
  absl::InlinedVector<NodeIndex, 4> dependencies;  // of that gradient, under create_graph
};

// By node. Graphs are small and looked at often.
using NodeFlags = absl::InlinedVector<uint8_t, 64>;

class Graph {
 public:
  Graph() { nodes_.reserve(48); }

  NodeIndex Add(GraphNode node) {
    nodes_.push_back(std::move(node));
    return static_cast<NodeIndex>(nodes_.size()) - 1;
  }
  GraphNode& operator[](NodeIndex i) {
    broken_.clear();
    return nodes_[i];
  }
  const GraphNode& operator[](NodeIndex i) const { return nodes_[i]; }
  int size() const { return static_cast<int>(nodes_.size()); }

  // By node: whether a call from these roots can visit it.
  NodeFlags Reached(absl::Span<const NodeIndex> roots) const;
  // True when a call from this root would fail on a saved variable.
  bool IsBroken(NodeIndex root) const {
    if (root == kNoNode) return false;
    if (broken_.size() < nodes_.size()) FindBroken();
    return broken_[root] != 0;
  }
  // Frees the saved variables of all reached nodes.
  void Free(const NodeFlags& reached);
  // By node: whether a call from these roots gives it a gradient that requires grad under
  // create_graph. seeds[i]: the node of root i's seed, or kNoNode.
  NodeFlags Differentiable(absl::Span<const NodeIndex> roots,
                           absl::Span<const NodeIndex> seeds) const;
  GradientFacts Gradient(absl::Span<const NodeIndex> roots, absl::Span<const NodeIndex> seeds,
                         NodeIndex target) const;

 private:
  void FindBroken() const;
  // Adds the node's state to those that its edges lead to.
  void PassOn(NodeIndex i, NodeFlags& state) const;

  std::vector<GraphNode> nodes_;
  // Of the first nodes, whether they or what they lead to would fail; emptied when one changes.
  mutable NodeFlags broken_;
};

}  // namespace twingrad::generators
