// Statements about gradients: .grad and retain_grad.

#include <cstdint>
#include <string>

#include "autograd/reference/interpreter.h"
#include "autograd/reference/strides.h"

namespace twingrad::reference {

using program::Key;
using program::Opcode;
using program::Statement;
using program::ValueId;

void Interpreter::DefineGradient(ValueId value, const Variable& gradient, ValueId input) {
  if (!gradient.defined()) return;
  const Tensor& like = tensors_[input];
  Tensor& tensor = DefineFresh(value, Reshaped(arena_, gradient.data, like.shape), like.device);
  tensor.requires_grad = gradient.tracked;
  tensor.node = gradient.tracked ? gradient.node : kNoNode;
}

void Interpreter::Gradient(const Statement& statement) {
  const ValueId of = statement.operands[0];
  Tensor& tensor = Defined(of);
  if (statement.op == Opcode::kRetainGrad) return RetainGrad(of);
  if (statement.op == Opcode::kReadGrad) return ReadGrad(statement);
  if (statement.op == Opcode::kSetGrad) return SetGrad(statement);
  tensor.ReplaceGrad({});  // zero_grad
}

// What is set has the strides of what is copied, where these fill one block of memory. A leaf of a
// Program is row-major, so its gradients are to be (J4).
void Interpreter::SetGrad(const Statement& statement) {
  const ValueId from = statement.operands[1];
  const Tensor& source = Defined(from);
  Tensor& tensor = tensors_[statement.operands[0]];
  tensor.ReplaceGrad(calculus_.Constant(Read(from).data));
  tensor.grad_misfits = StretchOf(source.map).filled && !IsConsecutive(source.map);
}

void Interpreter::ReadGrad(const Statement& statement) {
  const ValueId of = statement.operands[0];
  CheckGradIsCertain(of);
  const Variable grad = tensors_[of].grad;
  result_.order_reaches_values |= tensors_[of].grad_in_any_order;
  if (!grad.defined()) return;
  Tensor& copy = DefineFresh(statement.results[0], grad.data, tensors_[of].device);
  if (!modes_.grad_mode || !grad.tracked) return;
  calculus_.BeginStatement();
  Variable operand = grad;
  operand.operand = 0;
  calculus_.Gather(operand, copy.map, copy.shape);
  const NodeId edge = grad.node;
  copy.node = AddStatementNode(program::NodeRole::kStatement, {&edge, 1}, calculus_.TakeSteps(),
                               copy.device);
  copy.requires_grad = true;
}

void Interpreter::RetainGrad(ValueId value) {
  if (!RequiresGrad(value)) throw Raised{ErrorKind::kNoGraph};
  Tensor& tensor = tensors_[value];
  if (rules_.defects.views_without_node_are_leaves && LacksNode(tensor)) return;
  if (tensor.retained_at != kNoNode && !rules_.retaining_again_requests_nodes) return;
  const NodeId node = GradientEdge(value);
  if (tensor.node == kNoNode || tensor.retained_at != kNoNode) return;  // a leaf keeps it anyway
  tensor.retained_at = node;
  MakeHooks(node).retained.push_back(value);
}

}  // namespace twingrad::reference
