// The loop of a run on one thread. See evaluate.h.

#include <cstdint>
#include <exception>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/base/span.h"
#include "autograd/engine/accumulate.h"
#include "autograd/engine/anomaly_check.h"
#include "autograd/engine/evaluate.h"
#include "autograd/engine/ready_heap.h"

namespace twingrad {
namespace {

VariableList TakeGradients(GraphTask& task, NodeState& state) {
  VariableList gradients;
  const uint32_t count = state.node->num_inputs();
  if (count > 0) gradients.push_back(std::move(state.first_gradient));
  for (uint32_t i = 1; i < count; ++i) {
    gradients.push_back(std::move(task.more_gradients()[state.more_begin + i - 1]));
  }
  return gradients;
}

Tensor& SlotOf(GraphTask& task, NodeState& state, uint32_t input_nr) {
  return input_nr == 0 ? state.first_gradient
                       : task.more_gradients()[state.more_begin + input_nr - 1];
}

// Hands the results of a node, empty if it was not applied, to the nodes its edges lead to.
void Deliver(GraphTask& task, const Node& node, VariableList& results, ReadyHeap& ready) {
  const Span<const Edge> edges = node.next_edges();
  for (size_t i = 0; i < edges.size(); ++i) {
    if (!edges[i].is_valid()) continue;
    const uint32_t target = task.TargetOf(node, edges[i]);
    NodeState& state = task.states()[target];
    const bool executes = state.Executes();
    if (executes) AddGradient(SlotOf(task, state, edges[i].input_nr), std::move(results[i]));
    // One comparison for the last contribution and for one too many.
    if (--state.pending + 1 <= 1) {
      if (state.pending != 0) [[unlikely]]
        GraphTask::ThrowChangedEdges(*state.node);
      if (executes) ready.Push(state.node->sequence_nr(), target);
    }
  }
}

uint32_t CountExecuted(const GraphTask& task) {
  if (!task.has_filter()) return static_cast<uint32_t>(task.states().size());
  uint32_t count = 0;
  for (const NodeState& state : task.states()) {
    if (state.Executes()) ++count;
  }
  return count;
}

}  // namespace

void RunLocally(GraphTask& task) {
  EvaluationScope scope(task);
  ReadyHeap ready;
  NodeState& root = task.states()[0];
  if (root.node->num_inputs() > 0) SlotOf(task, root, task.root_input()) = task.TakeRootSeed();
  const uint32_t expected = CountExecuted(task);
  if (root.Executes()) ready.Push(root.node->sequence_nr(), 0);
  uint32_t evaluated = 0;
  uint32_t index = 0;
  try {
    VariableList results;  // of nodes that are not plain
    while (!ready.IsEmpty()) {
      index = ready.Pop();
      NodeState& state = task.states()[index];
      VariableList gradients = TakeGradients(task, state);
      ++evaluated;
      if (IsPlain(task, state)) [[likely]] {
        VariableList plain_results = EvaluatePlain(task, *state.node, gradients);
        Deliver(task, *state.node, plain_results, ready);
      } else if (EvaluateNode(task, index, gradients, results)) {
        Deliver(task, *state.node, results, ready);
        results.clear();
      }
    }
  } catch (...) {
    if (!task.modes().anomaly) throw;
    std::rethrow_exception(Explained(std::current_exception(), task, *task.states()[index].node));
  }
  if (evaluated != expected && root.Executes()) {
    throw Error(ErrorKind::kInternal,
                absl::StrCat("[engine] ", expected - evaluated, " of ", expected,
                             " nodes never received all their gradients; every needed node must "
                             "run once; report this"));
  }
}

}  // namespace twingrad
