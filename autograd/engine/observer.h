// EngineObserver: watches dependency counts, what is executed and in which order.
//
// For tests and tools. An engine without an observer pays one predictable branch per node. The
// methods are called on the thread that runs the task or evaluates the node, concurrently if
// several threads run: the observer does its own locking. It must not throw.

#pragma once

#include <cstdint>
#include <vector>

#include "autograd/base/inlined_vector.h"
#include "autograd/graph/node.h"

namespace twingrad {

// Where an edge leads: to which of GraphView::nodes, -1 if it is not valid, and to which input.
struct ViewEdge {
  int32_t node = -1;
  uint32_t input_nr = 0;
};

// A task as it stands before its run.
struct GraphView {
  uint64_t task = 0;  // numbers the tasks of the process
  bool keep_graph = false;
  bool create_graph = false;
  bool accumulate_grad = false;
  InlinedVector<ViewEdge, 2> roots;
  InlinedVector<ViewEdge, 2> outputs;  // empty: everything is executed
  // Everything that the roots reach, in discovery order (a GraphRoot first if there is one), then
  // outputs that no root reaches, with what they reach.
  std::vector<const Node*> nodes;
  std::vector<ViewEdge> edges;  // of all nodes, one node after the other
  // By the number that an Evaluation has: which of `nodes`.
  std::vector<int32_t> places;
  // By node: how many edges into it are counted; -1 if the engine has no entry for it.
  std::vector<int32_t> dependencies;
  // By node: whether it is to be executed (captures not included); empty when `outputs` is.
  std::vector<bool> needed;
};

// That of a node in a task.
struct Evaluation {
  uint64_t task = 0;
  uint32_t number = 0;  // of the node in the task
  const Node& node;
};

class EngineObserver {
 public:
  virtual ~EngineObserver() = default;
  virtual void OnGraphReady(GraphView graph) = 0;
  // The evaluation of a node begins. `applied`: it is executed, not only captured.
  virtual void OnEvaluate(const Evaluation& evaluation, bool applied) = 0;
  // It ends, with an error or without, on the same thread. Evaluations of a call nested in it lie
  // in between.
  virtual void OnEvaluated(const Evaluation& /*evaluation*/) {}
};

}  // namespace twingrad
