// Statements about gradients: .grad, retain_grad and hooks.

#include <cstdint>
#include <string>

#include "autograd/reference/interpreter.h"

namespace twingrad::reference {

using program::Key;
using program::Opcode;
using program::Statement;
using program::ValueId;

void Interpreter::DefineGradient(ValueId value, const Variable& gradient, ValueId input) {
  if (!gradient.defined()) return;
  const Tensor& like = tensors_[input];
  Tensor& tensor = DefineFresh(value, Reshaped(arena_, gradient.data, like.shape), like.device);
  tensor.made_by_call = true;
  tensor.requires_grad = gradient.tracked;
  tensor.node = gradient.tracked ? gradient.node : kNoNode;
}

void Interpreter::Gradient(const Statement& statement) {
  const ValueId of = statement.operands[0];
  Tensor& tensor = Defined(of);
  if (statement.op == Opcode::kRetainGrad) return RetainGrad(of);
  if (statement.op == Opcode::kReadGrad) return ReadGrad(statement);
  tensor.grad = {};  // zero_grad
}

void Interpreter::ReadGrad(const Statement& statement) {
  const ValueId of = statement.operands[0];
  const Variable grad = tensors_[of].grad;
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
  if (rules_.views_without_node_are_leaves && LacksNode(tensor)) return;
  const NodeId node = GradientEdge(value);
  if (tensor.node == kNoNode || tensor.retains_grad) return;  // a leaf keeps it anyway
  if (tensor.made_by_call) throw Skipped{"a gradient made by a call retains its gradient"};
  tensor.retains_grad = true;
  MakeHooks(node).retained.push_back(value);
}

void Interpreter::AddHook(const Statement& statement) {
  const ValueId value = statement.operands[0];
  const auto action = statement.Get<std::string>(Key::kDo);
  Hook hook{statement_, HookAction::kRecord, statement.Get<double>(Key::kBy, 1.0), false};
  if (action == "scale") {
    hook.action = HookAction::kScale;
  } else if (action == "undefined") {
    hook.action = HookAction::kUndefined;
  } else if (action == "throw") {
    hook.action = HookAction::kThrow;
  } else if (action == "wrong_shape" || action == "wrong_dtype") {
    hook.action = HookAction::kMisfit;
  } else if (action != "record") {
    throw Skipped{"a hook with do=" + action};
  }
  Tensor& tensor = Defined(value);
  if (GradientEdge(value) == kNoNode) throw Raised{ErrorKind::kNoGraph};
  if (statement.op == Opcode::kAccumulateHook && GradientEdge(value) != tensor.accumulator) {
    throw Raised{ErrorKind::kInvalidArgument};
  }
  if (tensor.made_by_call) throw Skipped{"a hook on a gradient made by a call"};
  // Hooks on a tensor belong to one result of its node, others to the node.
  const NodeId edge = GradientEdge(value);
  NodeHooks& hooks = MakeHooks(statement.op == Opcode::kHook ? edge : calculus_.MainOf(edge));
  const auto index = static_cast<int32_t>(hooks_.size());
  hooks_.push_back(hook);
  (statement.op == Opcode::kHook       ? hooks.tensor
   : statement.op == Opcode::kPreHook  ? hooks.pre
   : statement.op == Opcode::kPostHook ? hooks.post
                                       : hooks.accumulate)
      .push_back(index);
  if (const auto* id = statement.Find(Key::kId)) {
    handles_.emplace_back(std::get<std::string>(*id), index);
  }
}

void Interpreter::RemoveHook(const Statement& statement) {
  const auto id = statement.Get<std::string>(Key::kId);
  for (const auto& [name, index] : handles_) {
    if (name == id) hooks_[index].removed = true;
  }
}

}  // namespace twingrad::reference
