// The statements that compute: what they lower to, which node they leave, what in-place writes do.

#include <algorithm>

#include "autograd/program/signature.h"
#include "autograd/reference/composite.h"
#include "autograd/reference/interpreter.h"
#include "autograd/reference/lowering.h"
#include "autograd/reference/strides.h"

namespace twingrad::reference {

using program::Key;
using program::kNoValue;
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
  }
  return tensor.accumulator;
}

// An array with the type and shape of a view's base, its elements unset.
const Array* Interpreter::LikeBase(ValueId view) {
  const Tensor& base = tensors_[tensors_[view].base];
  return NewArray(arena_, base.dtype, base.shape, base.map.size);
}

void Interpreter::RegenerateView(ValueId value) {
  if (tensors_[value].viewed_in_no_grad && !rules_.no_grad_views_are_renewed) {
    throw Raised{ErrorKind::kInvalidArgument};
  }
  const NodeId edge = GradientEdge(tensors_[value].base);
  Tensor& view = tensors_[value];
  Step step;
  step.primitive = Primitive::kGather;
  step.in[0].data = LikeBase(value);
  step.in[0].tracked = true;
  step.in[0].operand = 0;
  step.in[0].node = edge;
  step.out.tracked = true;
  step.out.step = 0;
  step.arguments.map = view.base_map;
  step.arguments.shape = view.shape;
  Node node;
  node.name = {NodeRole::kRegeneratedView, view.statement, view.regenerated++};
  node.device = view.device;
  node.edges = {arena_.New(edge), 1};
  node.steps = {arena_.New(step), 1};
  const NodeId made = calculus_.AddNode(node);
  MoveRetained(value, view.node, made);
  view.node = made;
  view.requires_grad = true;
  view.view_version = storages_[view.storage].version;
}

void Interpreter::MoveRetained(ValueId value, NodeId from, NodeId to) {
  if (!tensors_[value].retains_grad) return;
  auto& retained = MakeHooks(from).retained;
  retained.erase(std::remove(retained.begin(), retained.end(), value), retained.end());
  MakeHooks(to).retained.push_back(value);
}

NodeHooks& Interpreter::MakeHooks(NodeId node) {
  int32_t& index = calculus_.nodes()[node].hooks;
  if (index < 0) {
    index = static_cast<int32_t>(node_hooks_.size());
    node_hooks_.emplace_back();
  }
  return node_hooks_[index];
}

NodeHooks* Interpreter::hooks_of(NodeId node) {
  const int32_t index = calculus_.nodes()[node].hooks;
  return index < 0 ? nullptr : &node_hooks_[index];
}

Interpreter::Operands Interpreter::TakeOperands(const Statement& statement,
                                                uint32_t differentiable) {
  Operands operands;
  operands.count = static_cast<int>(statement.operands.size());
  for (int k = 0; k < operands.count; ++k) {
    const ValueId value = statement.operands[k];
    operands.variable[k] = Read(value);
    operands.shape[k] = tensors_[value].shape;
    const bool reached = (differentiable >> k & 1) != 0;
    operands.variable[k].tracked = grad_mode_ && reached && RequiresGrad(value);
    operands.records |= operands.variable[k].tracked;
  }
  return operands;
}

// One edge a differentiable operand, in order; also numbers the operands by their edges.
absl::Span<const NodeId> Interpreter::EdgesOf(const Operands& operands, uint32_t differentiable) {
  auto* edges = arena_.Allocate<NodeId>(operands.count);
  size_t count = 0;
  for (int k = 0; k < operands.count; ++k) {
    if ((differentiable >> k & 1) != 0) edges[count++] = operands.variable[k].node;
  }
  return absl::MakeConstSpan(edges, count);
}

NodeId Interpreter::AddStatementNode(NodeRole role, absl::Span<const NodeId> edges,
                                     absl::Span<const Step> steps, program::DeviceIndex device) {
  Node node;
  node.name = {role, statement_, 0};
  node.device = device;
  auto* kept = arena_.Allocate<NodeId>(edges.size());
  std::copy(edges.begin(), edges.end(), kept);
  node.edges = absl::MakeConstSpan(kept, edges.size());
  node.steps = steps;
  node.saved = calculus_.SavedOf(steps, &node.saves);
  return calculus_.AddNode(node);
}

// The result as the last step's derivative reads it: with the storage it went to.
void Interpreter::SetSavedResult(absl::Span<Step> steps, int32_t storage) {
  if (steps.empty()) return;
  steps.back().out.storage = storage;
  steps.back().out.version = storages_[storage].version;
}

void Interpreter::Compute(const Statement& statement) {
  const uint32_t differentiable = program::SignatureOf(statement.op).differentiable;
  Operands operands = TakeOperands(statement, differentiable);
  const bool to_integer =
      statement.op == Opcode::kCast && !IsFloating(statement.Get<DType>(Key::kTo));
  const bool records = operands.records && !to_integer;
  const bool indexed = operands.count > 1 && tensors_[statement.operands[1]].dtype == DType::kI64;
  if (records && indexed && !rules_.failed_statements_renew_views) {
    // Only the values tell that an index is out of range: without history first.
    Operands untracked = TakeOperands(statement, 0);
    Lower(statement.op, statement, untracked);
  }
  const bool several = (differentiable & (differentiable - 1)) != 0 && operands.count > 1;
  int16_t edge = 0;
  for (int k = 0; k < operands.count; ++k) {
    Variable& operand = operands.variable[k];
    const bool reached = (differentiable >> k & 1) != 0;
    operand.tracked &= records;
    if (operand.tracked) operand.node = GradientEdge(statement.operands[k]);
    if (reached) operand.operand = edge++;
    // Of several operands, one that nothing leads to needs nothing saved.
    if (operand.node == kNoNode && several) operand.tracked = false;
  }
  const absl::Span<const NodeId> edges = EdgesOf(operands, differentiable);
  calculus_.BeginStatement();
  const Variable out = Lower(statement.op, statement, operands);
  const absl::Span<Step> steps = calculus_.TakeSteps();
  const auto device =
      statement.op == Opcode::kTo
          ? static_cast<program::DeviceIndex>(statement.Get<int64_t>(Key::kDevice, program::kCpu))
          : tensors_[statement.operands[0]].device;
  Tensor& result = DefineFresh(statement.results[0], out.data, device);
  if (!records) return;
  SetSavedResult(steps, result.storage);
  result.node = AddStatementNode(NodeRole::kStatement, edges, steps, device);
  result.requires_grad = true;
  const bool last_tracked = operands.variable[operands.count - 1].tracked;
  uint32_t also_saved = AlsoSaved(statement.op, last_tracked);
  if (!rules_.saves_what_is_needed) also_saved |= SavedNeedlessly(statement.op);
  const bool chosen = statement.Find(Key::kDims) != nullptr || statement.Get<bool>(Key::kKeepdim);
  if (statement.op == Opcode::kMean && chosen && rules_.mean_saves_its_operand) also_saved |= 1;
  calculus_.nodes()[result.node].saves |= also_saved != 0;
  for (int k = 0; k < operands.count; ++k) {
    if ((also_saved >> k & 1) != 0) calculus_.AlsoSave(result.node, Read(statement.operands[k]));
  }
  if ((also_saved & kResult) != 0) calculus_.AlsoSave(result.node, Read(statement.results[0]));
}

Variable Interpreter::Lower(Opcode op, const Statement& statement, Operands& operands) {
  Variable* const in = operands.variable;
  PrimitiveArguments arguments;
  switch (op) {
    case Opcode::kWhere: {
      const Shape* shape = Keep(BroadcastShape(
          *operands.shape[0], BroadcastShape(*operands.shape[1], *operands.shape[2])));
      for (int k = 0; k < 3; ++k) {
        in[k] = calculus_.Gather(in[k], BroadcastMap(arena_, *operands.shape[k], *shape), shape);
      }
      return calculus_.Apply(Primitive::kSelect, in[1], in[2], in[0]);
    }
    case Opcode::kSum:
    case Opcode::kMean:
      return LowerReduction(statement, operands);
    case Opcode::kMatmul:
      return LowerMatmul(operands);
    case Opcode::kClone:
    case Opcode::kTo:
    case Opcode::kReshape: {
      const Shape* shape = op == Opcode::kReshape
                               ? Keep(ViewMap(arena_, statement, *operands.shape[0]).shape)
                               : operands.shape[0];
      return calculus_.Gather(in[0], {nullptr, in[0].data->size}, shape);
    }
    case Opcode::kCast:
      arguments.dtype = statement.Get<DType>(Key::kTo);
      return calculus_.Apply(Primitive::kCast, in[0], {}, {}, arguments);
    default: {
      const std::optional<Primitive> primitive = ElementwisePrimitive(op);
      if (!primitive.has_value()) return LowerComposite(statement, operands);
      if (operands.count == 2) return LowerBroadcast(*primitive, operands);
      return calculus_.Apply(*primitive, in[0]);
    }
  }
}

Variable Interpreter::LowerComposite(const Statement& statement, Operands& operands) {
  StatementAlgebra algebra(calculus_, shapes_);
  const auto count = static_cast<size_t>(operands.count);
  Composite composite(algebra, statement, absl::MakeConstSpan(operands.variable, count),
                      absl::MakeConstSpan(operands.shape, count));
  Variable out;
  try {
    if (composite.Lower(&out)) return out;
  } catch (const IndexOutOfRange&) {
    throw Raised{ErrorKind::kIndex};
  } catch (const TooLong&) {
    throw Skipped{"a product of more than 64 factors"};
  }
  throw Skipped{"the twin has no primitive for this statement"};
}

Variable Interpreter::LowerBroadcast(Primitive primitive, Operands& operands) {
  Variable* const in = operands.variable;
  if (*operands.shape[0] != *operands.shape[1]) {
    const Shape* shape = Keep(BroadcastShape(*operands.shape[0], *operands.shape[1]));
    for (int k = 0; k < 2; ++k) {
      if (*operands.shape[k] == *shape) continue;
      in[k] = calculus_.Gather(in[k], BroadcastMap(arena_, *operands.shape[k], *shape), shape);
    }
  }
  try {
    return calculus_.Apply(primitive, in[0], in[1]);
  } catch (const DomainError&) {
    throw Raised{ErrorKind::kDomain};
  }
}

Variable Interpreter::LowerReduction(const Statement& statement, Operands& operands) {
  const ReductionMap reduction = ReduceMap(arena_, statement, *operands.shape[0]);
  const Shape* shape = Keep(reduction.shape);
  const bool mean = statement.op == Opcode::kMean;
  PrimitiveArguments arguments;
  arguments.map = reduction.map;
  arguments.shape = shape;
  arguments.count = reduction.count;
  arguments.late = mean && rules_.divides_late;
  const Variable sum =
      calculus_.Apply(Primitive::kScatterAdd, operands.variable[0], {}, {}, arguments);
  if (!mean) return sum;
  arguments.map = {};
  arguments.shape = nullptr;
  return calculus_.Apply(Primitive::kDivideCount, sum, {}, {}, arguments);
}

Variable Interpreter::LowerMatmul(Operands& operands) {
  const MatmulMaps maps = ProductMaps(arena_, *operands.shape[0], *operands.shape[1]);
  const Shape* products = Keep({maps.left.size});
  const Shape* shape = Keep(maps.shape);
  const Variable left = calculus_.Gather(operands.variable[0], maps.left, products);
  const Variable right = calculus_.Gather(operands.variable[1], maps.right, products);
  return calculus_.ScatterAdd(calculus_.Apply(Primitive::kMultiply, left, right), maps.result,
                              shape);
}

void Interpreter::View(const Statement& statement) {
  const ValueId of = statement.operands[0];
  if (!tensors_[of].defined) throw Raised{ErrorKind::kUndefined};
  const bool reshapes = statement.op == Opcode::kView || statement.op == Opcode::kReshape;
  if (reshapes && !IsConsecutive(tensors_[of].map)) {
    if (statement.op == Opcode::kView) throw Raised{ErrorKind::kInvalidArgument};
    return Compute(statement);
  }
  Operands operands = TakeOperands(statement, 1);
  Variable& operand = operands.variable[0];
  operand.operand = 0;
  if (operand.tracked) operand.node = GradientEdge(of);
  const ShapedMap view = ViewMap(arena_, statement, *tensors_[of].shape);
  const Shape* shape = Keep(view.shape);

  const Tensor& source = tensors_[of];
  Tensor& result = Define(statement.results[0], source.dtype, source.device, shape);
  result.storage = source.storage;
  result.map = Compose(arena_, source.map, view.map);
  result.strides = Keep(ViewStrides(statement, *source.shape, StridesOf(source), *shape));
  result.base = source.is_view() ? source.base : of;
  result.base_map = source.is_view() ? Compose(arena_, source.base_map, view.map) : view.map;
  result.view_version = storages_[source.storage].version;
  result.viewed_in_no_grad = !grad_mode_ || source.viewed_in_no_grad;
  if (!operands.records) return;
  calculus_.BeginStatement();
  calculus_.Gather(operand, view.map, shape);
  const absl::Span<Step> steps = calculus_.TakeSteps();
  result.node = AddStatementNode(NodeRole::kStatement, {&operand.node, 1}, steps, result.device);
  result.requires_grad = true;
}

void Interpreter::Detach(const Statement& statement) {
  const ValueId of = statement.operands[0];
  if (!tensors_[of].defined) throw Raised{ErrorKind::kUndefined};
  const Tensor& source = tensors_[of];
  Tensor& result = Define(statement.results[0], source.dtype, source.device, source.shape);
  result.storage = source.storage;
  result.map = source.map;
  result.strides = source.strides;
}

Shape Interpreter::StridesOf(const Tensor& tensor) const {
  return tensor.strides == nullptr ? RowMajorStrides(*tensor.shape) : *tensor.strides;
}

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
  if (!would_record) return;
  if (tensor.is_view() && tensor.viewed_in_no_grad) throw Raised{ErrorKind::kInvalidArgument};
  const Tensor& base = tensor.is_view() ? tensors_[tensor.base] : tensor;
  if (base.requires_grad && base.node == kNoNode) throw Raised{ErrorKind::kLeafInPlace};
  if (rules_.views_without_node_are_leaves && LacksNode(tensor) && RequiresGrad(self)) {
    throw Raised{ErrorKind::kLeafInPlace};
  }
}

void Interpreter::InPlace(const Statement& statement) {
  const ValueId self = statement.operands[0];
  const bool overwrites =
      statement.op == Opcode::kCopyInPlace || statement.op == Opcode::kZeroInPlace;
  const bool drops = overwrites && !rules_.overwritten_gets_zeros;
  // The old contents are an operand like the others, and requiring grad they make the write record.
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
  Variable out;
  if (statement.op == Opcode::kZeroInPlace) {
    out = calculus_.Constant(0, operands.variable[0]);
  } else if (statement.op == Opcode::kCopyInPlace) {
    const Shape* shape = operands.shape[0];
    out = calculus_.Gather(operands.variable[1], BroadcastMap(arena_, *operands.shape[1], *shape),
                           shape);
  } else {
    out = Lower(OutOfPlace(statement.op), statement, operands);
  }
  const absl::Span<Step> steps = calculus_.TakeSteps();

  Tensor& tensor = tensors_[self];
  Storage& storage = storages_[tensor.storage];
  const Array* in[3] = {storage.content, out.data, nullptr};
  PrimitiveArguments arguments;
  arguments.map = tensor.map;
  storage.content = Evaluate(arena_, Primitive::kOverwrite, in, arguments, false);
  ++storage.version;
  if (!operands.records) return;

  SetSavedResult(steps, tensor.storage);
  const NodeId edges[2] = {old_edge, other};
  const NodeId node =
      AddStatementNode(through_view ? NodeRole::kCopySlices : NodeRole::kStatement,
                       absl::MakeConstSpan(edges, operands.count), steps, tensor.device);
  calculus_.nodes()[node].zeros_to_first = overwrites && !drops;
  if (through_view) {
    Node& copy_slices = calculus_.nodes()[node];
    copy_slices.saves |= rules_.view_writes_are_freed;
    copy_slices.base_like = LikeBase(self);
    copy_slices.slice = tensor.base_map;
    copy_slices.slice_shape = tensor.shape;
  }
  Tensor& target = tensors_[written];
  if (!through_view || rules_.views_move_retain_grad) MoveRetained(written, target.node, node);
  target.node = node;
  target.requires_grad = true;
  if (!through_view || !rules_.written_views_are_renewed) return;
  RegenerateView(self);
  calculus_.nodes()[node].written_view = tensors_[self].node;
}

}  // namespace twingrad::reference
