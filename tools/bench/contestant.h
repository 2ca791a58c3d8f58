// Contestant: an engine that builds and differentiates the graphs of the benchmark.
//
// Each method builds one graph afresh, outside the clock, and times one backward pass through it;
// the destruction of the graph is not timed. The nodes of Chain, Ladder and Fan pass their gradient
// on as it is, so that what is measured is the engine alone: counting dependencies, queueing,
// adding up. Single-threaded; a contestant is used from one thread at a time.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace twingrad::bench {

// Nanoseconds of one run. `forward_ns` is 0 for graphs that are built by hand.
struct Timing {
  double forward_ns = 0;
  double backward_ns = 0;
};

class Contestant {
 public:
  virtual ~Contestant() = default;
  virtual std::string_view name() const = 0;

  // n nodes in a row.
  virtual Timing Chain(int64_t n) = 0;
  // n nodes; node i has one edge to node i+1 and one to node i+2, so two gradients meet in each.
  virtual Timing Ladder(int64_t n) = 0;
  // One node with n edges to n nodes, each with an edge into the same last node.
  virtual Timing Fan(int64_t n) = 0;
  // n times y = y * w on f64 scalars that require grad, then backward from y.
  virtual Timing Multiply(int64_t n) = 0;
};

// A contestant that builds Chain, Ladder and Fan of nodes held by NodePtr.
template <typename NodePtr>
class GraphContestant : public Contestant {
 public:
  Timing Chain(int64_t n) final {
    NodePtr last = MakeNode();
    for (int64_t i = 1; i < n; ++i) {
      NodePtr node = MakeNode();
      AddEdge(node, std::move(last));
      last = std::move(node);
    }
    return Backward(last);
  }

  Timing Ladder(int64_t n) final {
    NodePtr before = MakeNode();
    NodePtr last = MakeNode();
    AddEdge(last, before);
    for (int64_t i = 2; i < n; ++i) {
      NodePtr node = MakeNode();
      AddEdge(node, last);
      AddEdge(node, std::move(before));
      before = std::move(last);
      last = std::move(node);
    }
    return Backward(last);
  }

  Timing Fan(int64_t n) final {
    NodePtr sink = MakeNode();
    std::vector<NodePtr> blades;
    for (int64_t i = 0; i < n; ++i) {
      blades.push_back(MakeNode());
      AddEdge(blades.back(), sink);
    }
    NodePtr hub = MakeNode();
    for (NodePtr& blade : blades) AddEdge(hub, std::move(blade));
    return Backward(hub);
  }

 private:
  // A node that passes its only gradient to each of its edges.
  virtual NodePtr MakeNode() = 0;
  virtual void AddEdge(const NodePtr& from, NodePtr to) = 0;
  virtual Timing Backward(const NodePtr& root) = 0;
};

std::unique_ptr<Contestant> MakeTwingrad();
std::unique_ptr<Contestant> MakeLibtorch();

// Runs `work` and returns the nanoseconds that it took.
template <typename Work>
double TimeNs(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace twingrad::bench
