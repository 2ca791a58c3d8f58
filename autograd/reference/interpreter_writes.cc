// In-place statements: what may be written, and the node that a write leaves.

#include <algorithm>
#include <cstdint>

#include "absl/types/span.h"
#include "autograd/program/signature.h"
#include "autograd/reference/interpreter.h"
#include "autograd/reference/lowering.h"
#include "autograd/reference/strides.h"

namespace twingrad::reference {

using program::NodeRole;
using program::Opcode;
using program::Statement;
using program::ValueId;

void Interpreter::CheckOverlap(const Tensor& self, const Tensor& other) {
  if (rules_.operands_may_overlap || self.storage != other.storage) return;
  if (OverlapPartly(self.map, StridesOf(self), other.map, StridesOf(other))) {
    throw Raised{ErrorKind::kInvalidArgument};
  }
  const IndexMap read = BroadcastMap(arena_, *other.shape, *self.shape);
  if (ReadsWhatItWrites(self.map, Compose(arena_, other.map, read))) {
    throw Skipped{"a write reads elements that it has written"};
  }
}

void Interpreter::CheckInPlace(ValueId self, bool would_record) {
  const Tensor& tensor = tensors_[self];
  if (Overlaps(arena_, tensor.map, storages_[tensor.storage].content->size)) {
    throw Raised{ErrorKind::kInvalidArgument};
  }
  // In grad mode a view made without it is not written even where the write itself would not be
  // recorded: its base would change unseen.
  const bool changes_base =
      modes_.grad_mode && tensor.is_view() && tensors_[tensor.base].requires_grad;
  if (!would_record && !changes_base) return;
  const bool is_fixed = tensor.is_part && !rules_.parts_are_renewed;
  if (tensor.is_view() && (tensor.viewed_in_no_grad || is_fixed)) {
    throw Raised{ErrorKind::kInvalidArgument};
  }
  const Tensor& base = tensor.is_view() ? tensors_[tensor.base] : tensor;
  if (base.requires_grad && base.node == kNoNode) throw Raised{ErrorKind::kLeafInPlace};
  if (rules_.defects.views_without_node_are_leaves && LacksNode(tensor) && RequiresGrad(self)) {
    throw Raised{ErrorKind::kLeafInPlace};
  }
}

Storage& Interpreter::Overwrite(const Tensor& tensor, const Array* elements) {
  Storage& storage = storages_[tensor.storage];
  storage.content = calculus_
                        .Apply(Primitive::kOverwrite, {.map = tensor.map},
                               calculus_.Constant(storage.content), calculus_.Constant(elements))
                        .data;
  ++storage.version;
  return storage;
}

void Interpreter::InPlace(const Statement& statement) {
  const ValueId self = statement.operands[0];
  const bool overwrites =
      statement.op == Opcode::kCopyInPlace || statement.op == Opcode::kZeroInPlace;
  const bool drops = overwrites && !rules_.overwritten_gets_zeros;
  // The old contents are an operand like any other; if they require grad, the write records.
  Operands operands = TakeOperands(statement, statement.operands.size() == 1 ? 1 : 3);
  CheckInPlace(self, operands.records);
  if (operands.count == 2) CheckOverlap(tensors_[self], tensors_[statement.operands[1]]);
  for (int k = 0; k < operands.count; ++k) {
    Variable& operand = operands.variable[k];
    operand.operand = static_cast<int16_t>(k);
    if (operand.tracked && !(k == 0 && drops)) operand.node = GradientEdge(statement.operands[k]);
    if (operand.node == kNoNode && k == 1) operand.tracked = false;
  }
  operands.variable[0].storage = -1;  // saved as a private copy
  const bool through_view = tensors_[self].is_view();
  const ValueId written = through_view ? tensors_[self].base : self;
  NodeId old_edge = kNoNode;
  if (operands.records && (through_view || !drops)) old_edge = GradientEdge(written);

  const NodeId other = operands.variable[1].node;

  calculus_.BeginStatement();
  const Variable out = statement.op == Opcode::kZeroInPlace
                           ? calculus_.Constant(0, operands.variable[0])
                           : Lower(statement, operands);
  const absl::Span<Step> steps = calculus_.TakeSteps();
  if (operands.records) RunPackHooks(statement, steps, false);

  Tensor& tensor = tensors_[self];
  Overwrite(tensor, out.data);
  if (!operands.records) return;

  SetSavedResult(steps, tensor.storage);
  const NodeId edges[2] = {old_edge, other};
  const NodeId node =
      AddStatementNode(through_view ? NodeRole::kCopySlices : NodeRole::kStatement,
                       absl::MakeConstSpan(edges, operands.count), steps, tensor.device);
  calculus_.nodes()[node].zeros_to_first = overwrites && !drops;
  NotePacked(node, statement, operands, out.data);
  if (through_view) {
    Node& copy_slices = calculus_.nodes()[node];
    copy_slices.saves |= rules_.view_writes_are_freed;
    copy_slices.base_like = LikeBase(self);
    copy_slices.slice = tensor.base_map;
    copy_slices.slice_shape = tensor.shape;
  }
  Tensor& target = tensors_[written];
  if (!through_view || !rules_.defects.view_writes_leave_retain_grad) {
    MoveRetained(written, node);
  }
  target.node = node;
  target.requires_grad = true;
  if (!through_view || !rules_.written_views_are_renewed) return;
  RegenerateView(self);
  calculus_.nodes()[node].written_view = tensors_[self].node;
}

}  // namespace twingrad::reference
