// Nodes that refuse to be differentiated.
//
//   VariableList z = DelayedError("[model] y is not differentiable; ...", {y});
//   // z has the data of y and requires grad; an error comes only if a backward reaches it.

#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "autograd/base/span.h"
#include "autograd/graph/node.h"

namespace twingrad {

// Throws Error(kInvalidArgument) with `message` when it is applied.
class ErrorNode final : public Node {
 public:
  explicit ErrorNode(std::string message) : message_(std::move(message)) {}
  VariableList Apply(VariableList&& gradients) override;
  std::string_view name() const override { return "Error"; }

 private:
  const std::string message_;
};

// In grad mode, if one of `operands` requires grad: copies of the floating `results` (same memory,
// no other history) that are results of one ErrorNode, whose edges lead to the operands. Otherwise
// `results` as they are.
VariableList AttachError(std::string message, VariableList results, Span<const Tensor> operands);
VariableList DelayedError(std::string message, const VariableList& tensors);

}  // namespace twingrad
