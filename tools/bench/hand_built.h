// Graphs built by hand of nodes that pass their gradient on as it is, so that what is timed is the
// engine alone: counting dependencies, queueing, adding up.
//
// E names an engine: E::NodePtr, E::MakeNode() (a node that passes its only gradient, of one f64
// element, to each of its edges), E::AddEdge(from, to) and E::Run(root), one backward pass.

#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "tools/bench/contestant.h"

namespace twingrad::bench {

template <typename E>
class HandBuilt {
 public:
  static void AddTo(CaseTable& cases) {
    cases["chain"] = Chain;
    cases["ladder"] = Ladder;
    cases["fan"] = Fan;
    cases["dag"] = Dag;
  }

 private:
  using NodePtr = typename E::NodePtr;

  static Figures Time(const NodePtr& root) {
    return {{"backward", TimeNs([&] { E::Run(root); })}};
  }

  // n nodes in a row.
  static Figures Chain(int64_t n) {
    NodePtr last = E::MakeNode();
    for (int64_t i = 1; i < n; ++i) {
      NodePtr node = E::MakeNode();
      E::AddEdge(node, std::move(last));
      last = std::move(node);
    }
    return Time(last);
  }

  // n nodes; each has an edge to the one before and one to the one before that, so two gradients
  // meet in each.
  static Figures Ladder(int64_t n) {
    NodePtr before = E::MakeNode();
    NodePtr last = E::MakeNode();
    E::AddEdge(last, before);
    for (int64_t i = 2; i < n; ++i) {
      NodePtr node = E::MakeNode();
      E::AddEdge(node, last);
      E::AddEdge(node, std::move(before));
      before = std::move(last);
      last = std::move(node);
    }
    return Time(last);
  }

  // One node with n edges to n nodes, each with an edge into the same last node.
  static Figures Fan(int64_t n) {
    NodePtr sink = E::MakeNode();
    std::vector<NodePtr> blades;
    for (int64_t i = 0; i < n; ++i) {
      blades.push_back(E::MakeNode());
      E::AddEdge(blades.back(), sink);
    }
    NodePtr hub = E::MakeNode();
    for (NodePtr& blade : blades) E::AddEdge(hub, std::move(blade));
    return Time(hub);
  }

  // n nodes; each has an edge to the one before and none to two edges to any earlier ones. The same
  // graph for every engine.
  static Figures Dag(int64_t n) {
    std::mt19937_64 random(n);
    std::vector<NodePtr> nodes;
    for (int64_t i = 0; i < n; ++i) {
      NodePtr node = E::MakeNode();
      if (i > 0) {
        E::AddEdge(node, nodes.back());
        for (uint64_t more = random() % 3; more > 0; --more) E::AddEdge(node, nodes[random() % i]);
      }
      nodes.push_back(std::move(node));
    }
    const NodePtr root = nodes.back();
    nodes.clear();
    return Time(root);
  }
};

}  // namespace twingrad::bench
