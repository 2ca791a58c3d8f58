// The statements that compute: what they lower to, which node they leave, what in-place writes do.

#include <algorithm>
#include <cstdint>
#include <memory>

#include "absl/types/span.h"
#include "autograd/program/parts.h"
#include "autograd/program/signature.h"
#include "autograd/program/sparse.h"
#include "autograd/reference/composite.h"
#include "autograd/reference/interpreter.h"
#include "autograd/reference/lowering.h"
#include "autograd/reference/strides.h"

namespace twingrad::reference {
namespace {

// Of an op all of whose operands lead nowhere: what the derivatives in several of them need is
// saved all the same. Factors that are added are saved for each other alone.
uint32_t SharedSaves(const program::Statement& statement) {
  const program::Dependence dependence = program::SignatureOf(statement.op).facts.dependence;
  if (dependence == program::Dependence::kAddmm) return 0;
  const program::Saves saves =
      program::SignatureOf(statement.op).SavedBy(false, false) & program::SavesOf(statement);
  return (saves & program::kSavesOperands) | ((saves & program::kSavesResult) != 0 ? kResult : 0);
}

}  // namespace

using program::Key;
using program::kNoValue;
using program::NodeRole;
using program::Opcode;
using program::Statement;
using program::ValueId;

NodeHooks& Interpreter::MakeHooks(NodeId node) {
  int32_t& index = calculus_.nodes()[node].hooks;
  if (index < 0) {
    index = static_cast<int32_t>(node_hooks_.size());
    node_hooks_.push_back(std::make_unique<NodeHooks>());
  }
  return *node_hooks_[index];
}

NodeHooks* Interpreter::hooks_of(NodeId node) {
  const int32_t index = calculus_.nodes()[node].hooks;
  return index < 0 ? nullptr : node_hooks_[index].get();
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
    operands.variable[k].tracked = modes_.grad_mode && reached && RequiresGrad(value);
    operands.records |= operands.variable[k].tracked;
  }
  if (program::TakesSparse(statement.op)) {
    operands.variable[1] = calculus_.Constant(tensors_[statement.operands[0]].sparse_indices);
    operands.shape[1] = operands.variable[1].data->shape;
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
  const program::Category category =
      program::SignatureOf(program_.statements[statement_].op).category;
  node.elementwise =
      category == program::Category::kElementwise || category == program::Category::kInPlace;
  if (saved_hooks_ != nullptr) {
    node.packing = &saved_hooks_->packing;
    node.saved = {};
  }
  return calculus_.AddNode(node);
}

// The result as the last step's derivative reads it: with the storage that now holds it.
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
  const bool indexed = program::SignatureOf(statement.op).indices != 0;
  const bool partial = statement.op == Opcode::kInverse || statement.op == Opcode::kCholesky;
  if (records && (indexed || partial) && !rules_.failed_statements_renew_views) {
    // Only the values show that an index or a matrix is out of range, so evaluate once without
    // history.
    Lower(statement, TakeOperands(statement, 0));
  }
  const bool several = (differentiable & (differentiable - 1)) != 0 && operands.count > 1;
  int16_t edge = 0;
  for (int k = 0; k < operands.count; ++k) {
    Variable& operand = operands.variable[k];
    const bool reached = (differentiable >> k & 1) != 0;
    operand.tracked &= records;
    if (operand.tracked) operand.node = GradientEdge(statement.operands[k]);
    if (reached) operand.operand = edge++;
    // Of several operands, one without an edge needs nothing saved.
    if (operand.node == kNoNode && several) operand.tracked = false;
  }
  const absl::Span<const NodeId> edges = EdgesOf(operands, differentiable);
  calculus_.BeginStatement();
  const Variable out = Lower(statement, operands);
  const absl::Span<Step> steps = calculus_.TakeSteps();
  const bool last_tracked = operands.variable[operands.count - 1].tracked;
  uint32_t also_saved = AlsoSaved(statement, last_tracked);
  if (!rules_.saves_what_is_needed) also_saved |= SavedNeedlessly(statement.op);
  if (rules_.operands_are_saved_for_their_sizes && NeedsASizeAlone(statement)) also_saved |= 1;
  if (records && several && steps.empty()) also_saved |= SharedSaves(statement);
  if (records) RunPackHooks(statement, steps, also_saved != 0);
  const auto device =
      statement.op == Opcode::kTo
          ? static_cast<program::DeviceIndex>(statement.Get<int64_t>(Key::kDevice, program::kCpu))
          : tensors_[statement.operands[0]].device;
  Tensor& result = DefineFresh(statement.results[0], out.data, device);
  const bool gives_indices = program::GivesIndices(statement);
  if (gives_indices) DefineIndices(statement, operands);
  if (program::MakesSparse(statement.op)) {
    const bool given = statement.op == Opcode::kSparseCoo;
    const Variable indices =
        given ? operands.variable[1] : Lower(program::IndicesOfResult(statement), operands);
    result.sparse_indices = indices.data;
  }
  if (!records) return;
  SetSavedResult(steps, result.storage);
  result.node = AddStatementNode(NodeRole::kStatement, edges, steps, device);
  result.requires_grad = true;
  calculus_.nodes()[result.node].saves |= also_saved != 0;
  for (int k = 0; k < operands.count; ++k) {
    if ((also_saved >> k & 1) != 0) calculus_.AlsoSave(result.node, Read(statement.operands[k]));
  }
  if ((also_saved & kResult) != 0) calculus_.AlsoSave(result.node, Read(statement.results[0]));
  if (gives_indices) calculus_.AlsoSave(result.node, Read(statement.results[1]));
  NotePacked(result.node, statement, operands, out.data);
}

// The second result, without history.
void Interpreter::DefineIndices(const Statement& statement, const Operands& operands) {
  const Variable indices = Lower(program::ResultAlone(statement, 1), operands);
  DefineFresh(statement.results[1], indices.data, tensors_[statement.operands[0]].device);
}

Variable Interpreter::Lower(const Statement& statement, const Operands& operands) {
  const size_t indices = program::TakesSparse(statement.op) ? 1 : 0;
  const size_t count = static_cast<size_t>(operands.count) + indices;
  try {
    return Composite(calculus_, statement, program::SignatureOf(statement.op).performs,
                     absl::MakeConstSpan(operands.variable, count),
                     absl::MakeConstSpan(operands.shape, count))
        .Lower();
  } catch (const DomainError&) {
    throw Raised{ErrorKind::kDomain};
  } catch (const IndexOutOfRange&) {
    throw Raised{ErrorKind::kIndex};
  } catch (const CountDiffers&) {
    throw Raised{ErrorKind::kInvalidArgument};
  } catch (const TooLong&) {
    throw Skipped{"a product of more than 64 factors, or a matrix of more than 6 rows"};
  }
}

}  // namespace twingrad::reference
