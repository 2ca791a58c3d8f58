// CurrentTask: what nodes, hooks and callbacks may ask about the call that runs them.
//
//   RegisterHook(y, [&](const Tensor& g) {
//     if (!CurrentTask::WillExecute(*expensive)) ...
//   });
//
// The innermost call of the calling thread answers. All but Id are Error(kInvalidArgument) outside
// a call. The answers cost time in proportion to the graph where they list it; nothing is kept for
// them while a call runs.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "autograd/graph/edge.h"
#include "autograd/graph/function_context.h"
#include "autograd/graph/node.h"

namespace twingrad {

struct CurrentTask {
  // Numbers the calls of the process; nothing outside a call.
  static std::optional<uint64_t> Id();
  // Whether the call keeps the graph for further ones.
  static bool KeepsGraph();
  // The nodes that the call has found in the graph, the root first; the node of several roots is a
  // GraphRoot. Nodes below every wanted input are not looked into.
  static std::vector<NodePtr> Nodes();
  // Whether the call applies the node, before or after now. False where its gradient is only
  // captured, and for a node that is not in the graph.
  static bool WillExecute(const Node& node);
  // The nodes that the call applies, in the order of one thread, those included that have run
  // already. With workers, nodes of several devices may run in another order that the edges allow.
  static std::vector<NodePtr> ExecutionOrder();
  // What has arrived so far at each input of a node that has not begun: sums of contributions,
  // undefined where there is none. They share memory with the sums to come until those change: do
  // not write them. Of a node of the call, else Error(kInvalidArgument). With workers a sum that is
  // being formed at this moment shows as undefined.
  static VariableList InputBuffers(const Node& node);
  // For the Backward of a custom function: by argument, the sum that has arrived so far where its
  // gradient goes. Backward may add that gradient to the sum in place and then returns an undefined
  // one for the argument. Undefined where it cannot: nothing has arrived, others hold the sum or it
  // is sparse, nobody wants the gradient, it is no tensor; and always with create_graph, under
  // anomaly mode, in a run of several threads or of several streams of a device, where the node has
  // post-hooks, and where it stands for a write to a view. Not to be kept when Backward ends.
  // Error(kInvalidArgument) in Forward.
  static VariableList InputGradBuffers(const FunctionContext& context);
};

}  // namespace twingrad
