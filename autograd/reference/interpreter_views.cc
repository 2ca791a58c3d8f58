// Views: what they share with their base, and the node that a stale one gets.

#include <algorithm>
#include <cstdint>

#include "absl/types/span.h"
#include "autograd/program/parts.h"
#include "autograd/program/signature.h"
#include "autograd/reference/interpreter.h"
#include "autograd/reference/strides.h"

namespace twingrad::reference {

using program::NodeRole;
using program::Opcode;
using program::Statement;
using program::ValueId;

bool Interpreter::RequiresGrad(ValueId value) const {
  const Tensor& tensor = tensors_[value];
  if (tensor.requires_grad || !tensor.is_view()) return tensor.requires_grad;
  // A view takes part in the base's history from the next write on.
  const Tensor& base = tensors_[tensor.base];
  return base.requires_grad && IsFloating(tensor.dtype) &&
         (rules_.views_require_grad_with_base ||
          tensor.view_version != storages_[tensor.storage].version);
}

NodeId Interpreter::GradientEdge(ValueId value) {
  if (!RequiresGrad(value)) return kNoNode;
  Tensor& tensor = tensors_[value];
  if (tensor.is_view()) {
    if (group() != nullptr) group()->NoteEdge(value);
    const bool stale = tensor.view_version != storages_[tensor.storage].version;
    if (stale && tensors_[tensor.base].requires_grad) RegenerateView(value);
    return tensor.node;
  }
  if (tensor.node != kNoNode) return tensor.node;
  if (tensor.accumulator == kNoNode) {
    Node node;
    node.name = {NodeRole::kAccumulateGrad, tensor.statement, 0};
    node.device = tensor.device;
    node.leaf = value;
    tensor.accumulator = calculus_.AddNode(node);
    if (group() != nullptr) group()->NoteAccumulator(value, tensor.accumulator);
  }
  return tensor.accumulator;
}

// An array with the type and shape of a view's base, its elements unset.
const Array* Interpreter::LikeBase(ValueId view) {
  const Tensor& base = tensors_[tensors_[view].base];
  return NewArray(arena_, base.dtype, base.shape, base.map.size);
}

void Interpreter::RegenerateView(ValueId value) {
  if (IsUnrenewed(tensors_[value])) throw Raised{ErrorKind::kInvalidArgument};
  const NodeId edge = GradientEdge(tensors_[value].base);
  Tensor& view = tensors_[value];
  Step step = Calculus::ViewStep(LikeBase(value), edge, view.base_map, view.shape);
  step.out.step = 0;
  Node node;
  const auto& results = program_.statements[view.statement].results;
  const auto count = static_cast<int32_t>(results.size());
  node.name = {NodeRole::kRegeneratedView, view.statement,
               view.regenerated++ * count + value - results[0]};
  node.device = view.device;
  node.edges = {arena_.New(edge), 1};
  node.steps = {arena_.New(step), 1};
  const NodeId made = calculus_.AddNode(node);
  if (group() != nullptr) group()->NoteRegenerated(value, made);
  MoveRetained(value, made);
  view.node = made;
  view.requires_grad = true;
  view.view_version = storages_[view.storage].version;
}

void Interpreter::MoveRetained(ValueId value, NodeId to) {
  NodeId& at = tensors_[value].retained_at;
  if (at == kNoNode) return;
  if (group() != nullptr) group()->NoteLeft(at);
  auto& retained = MakeHooks(at).retained;
  retained.erase(std::remove(retained.begin(), retained.end(), value), retained.end());
  MakeHooks(to).retained.push_back(value);
  at = to;
}

// Whether the view gets no new node once its base was written.
bool Interpreter::IsUnrenewed(const Tensor& view) const {
  return (view.viewed_in_no_grad && !rules_.no_grad_views_are_renewed) ||
         (view.is_part && !rules_.parts_are_renewed);
}

Tensor& Interpreter::DefineView(const Statement& view) {
  const ValueId of = view.operands[0];
  const ShapedMap shown = ViewMap(arena_, view, *tensors_[of].shape);
  const Tensor& source = tensors_[of];
  Tensor& result = Define(view.results[0], source.dtype, source.device, arena_.Keep(shown.shape));
  result.storage = source.storage;
  result.map = Compose(arena_, source.map, shown.map);
  result.strides = arena_.Keep(ViewLayout(view, *source.shape, StridesOf(source)).strides);
  result.base = source.is_view() ? source.base : of;
  result.base_map = source.is_view() ? Compose(arena_, source.base_map, shown.map) : shown.map;
  result.view_version = storages_[source.storage].version;
  result.viewed_in_no_grad = !modes_.grad_mode || source.viewed_in_no_grad;
  result.is_part = source.is_part;
  return result;
}

void Interpreter::View(const Statement& statement) {
  if (program::HasParts(statement.op)) return Parts(statement);
  const ValueId of = statement.operands[0];
  const bool follows = statement.op == Opcode::kView || statement.op == Opcode::kReshape ||
                       statement.op == Opcode::kAsStrided;
  if (follows && !IsConsecutive(Defined(of).map)) {
    if (statement.op != Opcode::kReshape) throw Raised{ErrorKind::kInvalidArgument};
    return Compute(statement);
  }
  Operands operands = TakeOperands(statement, 1);
  Variable& operand = operands.variable[0];
  operand.operand = 0;
  if (operand.tracked) operand.node = GradientEdge(of);
  Tensor& result = DefineView(statement);
  if (!operands.records) return;
  calculus_.BeginStatement();
  calculus_.Gather(operand, ViewMap(arena_, statement, *tensors_[of].shape).map, result.shape);
  const absl::Span<Step> steps = calculus_.TakeSteps();
  result.node = AddStatementNode(NodeRole::kStatement, {&operand.node, 1}, steps, result.device);
  result.requires_grad = true;
}

void Interpreter::Parts(const Statement& statement) {
  const Operands operands = TakeOperands(statement, 1);
  const ValueId of = statement.operands[0];
  const NodeId edge = operands.records ? GradientEdge(of) : kNoNode;
  const Shape& whole = *tensors_[of].shape;
  const size_t count = statement.results.size();
  auto* places = arena_.Allocate<IndexMap>(count);
  for (size_t k = 0; k < count; ++k) {
    const Statement alone = program::PartAlone(statement, whole, k);
    DefineView(alone).is_part = true;
    places[k] = ViewMap(arena_, alone, whole).map;
  }
  if (!operands.records) return;
  const NodeId node = AddStatementNode(NodeRole::kStatement, {&edge, 1}, {}, tensors_[of].device);
  calculus_.nodes()[node].parts = absl::MakeConstSpan(places, count);
  calculus_.nodes()[node].base_like = operands.variable[0].data;
  calculus_.MakePorts(node, static_cast<int32_t>(count));
  for (size_t k = 0; k < count; ++k) {
    Tensor& part = tensors_[statement.results[k]];
    part.node = node + static_cast<NodeId>(k);
    part.requires_grad = true;
  }
}

void Interpreter::Detach(const Statement& statement) {
  const Tensor& source = Defined(statement.operands[0]);
  Tensor& result = Define(statement.results[0], source.dtype, source.device, source.shape);
  result.storage = source.storage;
  result.map = source.map;
  result.strides = source.strides;
}

Shape Interpreter::StridesOf(const Tensor& tensor) const {
  return tensor.strides == nullptr ? RowMajorStrides(*tensor.shape) : *tensor.strides;
}

}  // namespace twingrad::reference
