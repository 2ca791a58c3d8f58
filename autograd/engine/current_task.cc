// Questions to the running call. See current_task.h.

#include "autograd/engine/current_task.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/engine/dependencies.h"
#include "autograd/engine/evaluate.h"
#include "autograd/engine/gradient_streams.h"
#include "autograd/engine/graph_task.h"
#include "autograd/graph/basic_nodes.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/thread_state.h"

namespace twingrad {
namespace {

GraphTask& Running(std::string_view question) {
  if (GraphTask* task = CurrentEngineThread().task; task != nullptr) return *task;
  throw Error(ErrorKind::kInvalidArgument,
              absl::StrCat("[engine] ", question,
                           " was asked outside a call; nodes, hooks and callbacks of a running "
                           "call may ask; ask from a hook"));
}

}  // namespace

std::optional<uint64_t> CurrentTask::Id() {
  const GraphTask* task = CurrentEngineThread().task;
  if (task == nullptr) return std::nullopt;
  return task->number();
}

bool CurrentTask::KeepsGraph() { return Running("KeepsGraph").arguments().keep_graph; }

std::vector<NodePtr> CurrentTask::Nodes() {
  std::vector<NodePtr> nodes;
  for (const NodeState& state : Running("Nodes").states()) nodes.emplace_back(state.node);
  return nodes;
}

bool CurrentTask::WillExecute(const Node& node) {
  const GraphTask& task = Running("WillExecute");
  const uint32_t index = task.IndexOf(&node);
  return index != GraphTask::kNotFound && (task.states()[index].flags & NodeState::kApply) != 0;
}

std::vector<NodePtr> CurrentTask::ExecutionOrder() {
  const GraphTask& task = Running("ExecutionOrder");
  const Ranks ranks = ComputeRanks(task);
  std::vector<NodePtr> order(ranks.count);
  for (size_t i = 0; i < task.states().size(); ++i) {
    const NodeState& state = task.states()[i];
    if ((state.flags & NodeState::kApply) != 0) order[ranks.rank[i]] = NodePtr(state.node);
  }
  std::erase(order, NodePtr());  // only captured
  return order;
}

VariableList CurrentTask::InputBuffers(const Node& node) {
  GraphTask& task = Running("InputBuffers");
  const uint32_t index = task.IndexOf(&node);
  if (index == GraphTask::kNotFound) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[engine] InputBuffers was asked of ", node.name(),
                             ", which is not in the graph of the running call; its nodes may be "
                             "asked about; see CurrentTask::Nodes"));
  }
  return task.InputBuffers(index);
}

VariableList CurrentTask::InputGradBuffers(const FunctionContext& context) {
  const Node* const node = context.node();
  if (node == nullptr) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[custom] ", context.name(),
                             " asks for sums of gradients in Forward; they belong to Backward; ask "
                             "there"));
  }
  GraphTask& task = Running("InputGradBuffers");
  VariableList sums(context.num_arguments());
  const NodeExtras* const extras = node->extras();
  if (GradMode::IsEnabled() || task.modes().anomaly || CurrentNode() != node ||
      (extras != nullptr && extras->HasPostHooks()) ||
      (task.streams() != nullptr && task.streams()->has_several())) {
    return sums;
  }
  for (size_t i = 0; i < sums.size(); ++i) {
    if (!context.NeedsInputGrad(i)) continue;
    Tensor* const sum = task.SumSoFar(node->next_edge(static_cast<size_t>(context.EdgeOf(i))));
    // Of two arguments with one sum the first has it.
    if (sum != nullptr && sum->defined() && !sum->is_sparse() && IsPrivate(*sum)) sums[i] = *sum;
  }
  return sums;
}

}  // namespace twingrad
