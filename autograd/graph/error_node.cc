#include "autograd/graph/error_node.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/graph/variable.h"

namespace twingrad {

VariableList ErrorNode::Apply(VariableList&& /*gradients*/) {
  throw Error(ErrorKind::kInvalidArgument, message_);
}

VariableList AttachError(std::string message, VariableList results, Span<const Tensor> operands) {
  if (!GradMode::IsEnabled() || std::none_of(operands.begin(), operands.end(), RequiresGrad)) {
    return results;
  }
  std::vector<Edge> edges;
  for (const Tensor& operand : operands) edges.push_back(GradientEdge(operand));
  const NodePtr node = MakeNode<ErrorNode>(std::move(message));
  node->SetNextEdges(edges);
  uint32_t output_nr = 0;
  for (Tensor& result : results) {
    if (!result.defined() || !IsFloating(result.dtype())) continue;
    result = result.Detach();
    SetHistory(result, node, output_nr++);
  }
  AnnounceNode(*node);
  return results;
}

VariableList DelayedError(std::string message, const VariableList& tensors) {
  return AttachError(std::move(message), tensors, tensors);
}

}  // namespace twingrad
