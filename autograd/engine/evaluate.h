// The evaluation of one node, the same in every kind of run.

#pragma once

#include <cstdint>
#include <utility>

#include "autograd/engine/graph_task.h"
#include "autograd/engine/validate.h"
#include "autograd/graph/node.h"
#include "autograd/graph/thread_state.h"

namespace twingrad {

// The engine's state of the current thread, read while nodes are evaluated.
struct EngineThread {
  // The task whose node or hook runs, for callbacks; null outside.
  GraphTask* task = nullptr;
  // How many calls of the engine are nested on this thread.
  uint32_t depth = 0;
  // Whether every call nested here executes all that it reaches: see Engine::IsCheckpointValid.
  bool executes_all = true;
  // Calls use no other threads (multithreading.h).
  bool is_alone = false;
};
EngineThread& CurrentEngineThread();

// Sets up the thread for evaluating nodes of `task` until the end of the block: its modes, its
// filter, one more level of depth. Afterwards the current node is again that of before.
class [[nodiscard]] EvaluationScope {
 public:
  explicit EvaluationScope(GraphTask& task);
  ~EvaluationScope();
  EvaluationScope(const EvaluationScope&) = delete;
  EvaluationScope& operator=(const EvaluationScope&) = delete;

 private:
  EngineThread engine_before_;
  ModesScope modes_;
  const ExecutionFilter* filter_before_;
  Node* node_before_;
};

// Whether evaluating the node is to apply it, and nobody is to see it.
inline bool IsPlain(const GraphTask& task, const NodeState& state) {
  return state.node->extras() == nullptr &&
         (state.flags & NodeState::kExecutes) == NodeState::kApply && task.IsPlain();
}

// Applies the node and checks what it gives: one gradient an edge. Takes `gradients`.
[[gnu::always_inline]] inline VariableList Apply(Node& node, VariableList& gradients) {
  VariableList results = node.Apply(std::move(gradients));
  gradients.clear();
  if (!GradientsMatch(node.next_edges(), results)) [[unlikely]] {
    ValidateGradients(node.next_edges(), results, node.name());
  }
  return results;
}

// The same, and releases what the node saved unless the graph is kept: all there is to do at a node
// that IsPlain.
[[gnu::always_inline]] inline VariableList EvaluatePlain(const GraphTask& task, Node& node,
                                                         VariableList& gradients) {
  ThreadState& thread = CurrentThread();
  thread.node = &node;
  const bool releases = !node.SavesNothing() && !task.arguments().keep_graph;
  thread.releasing = releases ? &node : nullptr;
  thread.released = nullptr;
  VariableList results = Apply(node, gradients);
  if (releases && thread.released != &node) node.ReleaseVariables();
  return results;
}

// Runs tensor hooks, captures, pre-hooks, retain_grad, the node, checks, post-hooks; then releases
// what the node saved unless the graph is kept, and looks for NaN if the task wants it. `results`
// gets one gradient an edge; false if the node was only captured and has none. Takes `gradients`.
// Throws what hooks and node throw.
bool EvaluateNode(GraphTask& task, uint32_t index, VariableList& gradients, VariableList& results);

}  // namespace twingrad
