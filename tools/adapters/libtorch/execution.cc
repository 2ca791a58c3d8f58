#include "tools/adapters/libtorch/execution.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/variable.h>

#include <cstdint>
#include <exception>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "autograd/program/leaf_data.h"
#include "autograd/program/signature.h"
#include "tools/adapters/libtorch/accessors.h"
#include "tools/adapters/libtorch/execution_run.h"
#include "tools/adapters/libtorch/failures.h"
#include "tools/adapters/libtorch/operations.h"
#include "tools/adapters/libtorch/tensor_data.h"

namespace twingrad::libtorch {

using at::Tensor;
using program::ErrorRecord;
using program::Key;
using program::NodeRole;
using program::Observation;
using program::Opcode;
using program::Program;
using program::Statement;
using program::ValueId;
using Values = std::vector<ValueId>;

NodePtr GradFn(const Tensor& tensor) { return Hold(torch::autograd::impl::grad_fn_unsafe(tensor)); }

Observation Execution::Run() {
  program::Walk(program_, *this, observation_);
  return Observe();
}

std::optional<ErrorRecord> Execution::RunStatement(int32_t index) {
  std::optional<ErrorRecord> error;
  try {
    Dispatch(program_.statements[index]);
    return std::nullopt;
  } catch (const Refusal& refusal) {
    error = {refusal.error(), index, refusal.what()};
  } catch (const c10::Error& thrown) {
    const std::string message = thrown.what_without_backtrace();
    error = {ClassOf(message), index, message};
  } catch (const std::exception& thrown) {
    error = {ClassOf(thrown.what()), index, thrown.what()};
  }
  return error;
}

Tensor Execution::Defined(ValueId id) const {
  if (!values_[id].defined()) throw Refusal(ErrorKind::kUndefined, "an undefined value");
  return values_[id];
}

void Execution::Dispatch(const Statement& statement) {
  switch (statement.op) {
    case Opcode::kLeaf:
      return Leaf(statement);
    case Opcode::kRetainGrad:
    case Opcode::kReadGrad:
    case Opcode::kZeroGrad:
      return Gradient(statement);
    case Opcode::kHook:
    case Opcode::kPreHook:
    case Opcode::kPostHook:
    case Opcode::kAccumulateHook:
      return AddHook(statement);
    case Opcode::kRemoveHook:
      return RemoveHook(statement.Get<std::string>(Key::kId));
    case Opcode::kCustom:
    case Opcode::kCustomInPlace:
      return Custom(statement);
    case Opcode::kBackward:
    case Opcode::kGrad:
      return Call(statement);
    default:
      break;
  }
  std::vector<Tensor> operands;
  for (ValueId id : statement.operands) operands.push_back(Defined(id));
  std::vector<Tensor> results = Compute(statement, operands);
  for (Tensor& result : results) MakeRowMajor(statement, &result);
  // Operands first: views among them may have got a new node, on which the result's stands.
  if (statement.results.empty()) {
    for (ValueId id : statement.operands) {
      if (id != statement.operands[0]) NoteRegenerated(id);
    }
    NoteOldNode(statement);
    NoteWrite(statement.operands[0]);
  }
  for (ValueId id : statement.operands) NoteValue(id);
  for (size_t k = 0; k < results.size(); ++k) Define(statement.results[k], std::move(results[k]));
}

// Programs' results are row-major, libtorch's may have the strides of a permuted operand. What a
// node has saved keeps the old memory: the same elements, with the same version.
void Execution::MakeRowMajor(const Statement& statement, Tensor* result) {
  using program::Category;
  if (!result->defined() || result->is_sparse() || result->is_contiguous()) return;
  if (program::SignatureOf(statement.op).category == Category::kView) return;
  if (statement.op == Opcode::kDetach) return;
  if (result->is_view()) {
    *result = result->clone(at::MemoryFormat::Contiguous);
  } else {
    result->set_data(result->detach().contiguous());
  }
}

void Execution::Define(ValueId id, Tensor value) {
  values_[id] = std::move(value);
  defined_at_[id] = statement_;
  NoteValue(id);
}

// A value's node that has no name is the statement's, or a view's that was made anew.
void Execution::NoteValue(ValueId id) {
  const Tensor& value = values_[id];
  if (!value.defined()) return;
  const auto node = GradFn(value);
  if (!node || names_.Knows(node.get())) return;
  const bool anew = defined_at_[id] != statement_ && value.is_view();
  if (anew) {
    NoteWrite(id);
    names_.Note(node, NodeRole::kRegeneratedView, defined_at_[id]);
  } else {
    names_.Note(node, NodeRole::kStatement, statement_);
  }
}

// An operand of a write that is a view: its node may be new, and is not the write's.
void Execution::NoteRegenerated(ValueId id) {
  const Tensor& value = values_[id];
  const auto node = GradFn(value);
  if (!value.is_view() || !node || names_.Knows(node.get())) return;
  names_.Note(node, NodeRole::kRegeneratedView, defined_at_[id]);
}

// A view that is written with itself: the node that it got as an operand leads from the write, the
// view has another by now.
void Execution::NoteOldNode(const Statement& statement) {
  const auto& operands = statement.operands;
  const Tensor& value = values_[operands[0]];
  if (operands.size() != 2 || operands[0] != operands[1] || !value.is_view()) return;
  const auto write = GradFn(Tensor(value._base()));
  if (!write || names_.Knows(write.get()) || write->num_outputs() != 2) return;
  const NodePtr& old = write->next_edge(1).function;
  if (!old || names_.Knows(old.get())) return;
  names_.Note(old, NodeRole::kRegeneratedView, defined_at_[operands[0]]);
}

// A write through a view: the base has got a CopySlices.
void Execution::NoteWrite(ValueId id) {
  const Tensor& value = values_[id];
  if (!value.is_view()) return;
  const auto node = GradFn(Tensor(value._base()));
  if (!node || names_.Knows(node.get())) return;
  names_.Note(node, NodeRole::kCopySlices, statement_);
}

void Execution::NoteAll() {
  for (size_t id = 0; id < values_.size(); ++id) NoteValue(static_cast<ValueId>(id));
}

void Execution::Leaf(const Statement& statement) {
  const auto& type = std::get<program::TensorType>(*statement.Find(Key::kType));
  if (statement.Get<int64_t>(Key::kDevice, program::kCpu) != program::kCpu) {
    throw Refusal(ErrorKind::kUnsupported, "a leaf on a device");
  }
  Tensor leaf = TensorOf(type, program::LeafData(statement));
  if (statement.Get<bool>(Key::kGrad)) {
    leaf.set_requires_grad(true);
    names_.NoteLeaf(leaf.unsafeGetTensorImpl(), statement_);
  }
  Define(statement.results[0], std::move(leaf));
}

void Execution::Gradient(const Statement& statement) {
  const Tensor value = Defined(statement.operands[0]);
  if (statement.op == Opcode::kRetainGrad) {
    // Before 2.0 retain_grad of a view whose base was written ends the process, unless its node was
    // made anew before. One without a node counts as a leaf.
    if (!kHasHooks && value.is_view() && GradFn(value)) value.grad_fn();
    value.retain_grad();
    NoteValue(statement.operands[0]);
  } else if (statement.op == Opcode::kZeroGrad) {
    value.mutable_grad() = Tensor();
  } else if (const Tensor grad = value.mutable_grad(); grad.defined()) {
    Define(statement.results[0],
           grad.is_sparse() ? grad.to_dense() : grad.clone(at::MemoryFormat::Contiguous));
  }
}

std::vector<Tensor> Execution::ValuesOf(const Statement& statement, Key key) const {
  std::vector<Tensor> tensors;
  const auto* given = statement.Find(key);
  if (given == nullptr) return tensors;
  for (ValueId id : std::get<Values>(*given)) {
    tensors.push_back(id == program::kNoValue ? Tensor() : Defined(id));
  }
  return tensors;
}

// As torch.autograd makes them: shapes must be equal. Of another number libtorch says so.
std::vector<Tensor> Execution::Seeds(const Statement& statement,
                                     const std::vector<Tensor>& roots) const {
  std::vector<Tensor> seeds = ValuesOf(statement, Key::kSeeds);
  if (seeds.size() != roots.size()) return seeds;
  for (size_t i = 0; i < roots.size(); ++i) {
    if (!seeds[i].defined()) {
      if (roots[i].requires_grad() && roots[i].numel() != 1) break;  // libtorch will say so
      continue;
    }
    if (seeds[i].sizes() != roots[i].sizes()) {
      throw Refusal(ErrorKind::kShape, "a seed of another shape than its root");
    }
  }
  return seeds;
}

namespace {

// A gradient may be the seed, a view of it, or shared with another or the graph: in Programs it is
// a variable of its own, and dense. Zeros without memory stay what they are, so that their defects
// show.
Tensor OfItsOwn(const Tensor& gradient, bool create_graph) {
  if (!gradient.defined() || gradient._is_zerotensor()) return gradient;
  const at::AutoGradMode record(create_graph && gradient.requires_grad());
  return gradient.is_sparse() ? gradient.to_dense() : gradient.clone(at::MemoryFormat::Contiguous);
}

}  // namespace

void Execution::Call(const Statement& statement) {
  const bool is_grad = statement.op == Opcode::kGrad;
  program::CallRecord record;
  record.statement = statement_;
  record.create_graph = statement.Get<bool>(Key::kCreateGraph);
  record.keep_graph = statement.Get<bool>(Key::kRetainGraph, record.create_graph);
  record.accumulate_grad = !is_grad;
  const bool create_graph = record.create_graph;
  const bool keep_graph = record.keep_graph;
  Recorder::Call call(recorder_, record);
  std::vector<Tensor> roots;
  for (ValueId id : statement.operands) roots.push_back(Defined(id));
  const std::vector<Tensor> inputs = ValuesOf(statement, Key::kInputs);
  const std::vector<Tensor> seeds = Seeds(statement, roots);
  if (statement.Find(Key::kInputs) != nullptr && inputs.empty()) {
    throw Refusal(ErrorKind::kInvalidArgument, "empty inputs");
  }
  call.Expect(inputs, [this] { NoteAll(); });
  if (!is_grad) {
    torch::autograd::backward(roots, seeds, keep_graph, create_graph, inputs);
  } else {
    const bool materialize = statement.Get<bool>(Key::kMaterialize);
    const bool allow_unused = materialize || statement.Get<bool>(Key::kAllowUnused);
    std::vector<Tensor> gradients =
        torch::autograd::grad(roots, inputs, seeds, keep_graph, create_graph, allow_unused);
    for (size_t i = 0; i < gradients.size(); ++i) {
      Tensor& result = values_[statement.results[i]];
      if (materialize && !gradients[i].defined()) {
        result = at::zeros_like(inputs[i]).requires_grad_(create_graph);
        if (create_graph) names_.NoteLeaf(result.unsafeGetTensorImpl(), statement_);
      } else {
        result = OfItsOwn(gradients[i], create_graph);
      }
      defined_at_[statement.results[i]] = statement_;
    }
  }
  NoteGradients(statement);
  NoteAll();
}

// What create_graph made.
void Execution::NoteGradients(const Statement& statement) {
  for (ValueId id : statement.results) {
    if (values_[id].defined()) names_.Note(GradFn(values_[id]), NodeRole::kBackward, statement_);
  }
  for (const Tensor& value : values_) {
    if (!value.defined()) continue;
    const Tensor grad = value.mutable_grad();
    if (grad.defined()) names_.Note(GradFn(grad), NodeRole::kBackward, statement_);
  }
}

Observation Execution::Observe() {
  observation_.values.resize(values_.size());
  for (size_t id = 0; id < values_.size(); ++id) {
    const Tensor& value = values_[id];
    if (!value.defined()) continue;
    auto& record = observation_.values[id];
    record.defined = true;
    record.requires_grad = value.requires_grad();
    record.data = DataOf(value);
    record.version = static_cast<uint32_t>(value._version());
    const auto notes = [&](bool is_grad) {
      return program::AccessorNotes{static_cast<ValueId>(id), is_grad, observation_.accessors};
    };
    if (program::IsGradient(program_.statements[defined_at_[id]])) {
      ReadByAccessors(value, record.data, notes(false));
    }
    const Tensor grad = value.mutable_grad();
    record.grad_defined = grad.defined();
    if (!grad.defined()) continue;
    record.grad = DataOf(grad);
    ReadByAccessors(grad, record.grad, notes(true));
  }
  WriteGradients(values_, observation_);
  program::OrderCalls(observation_.calls);
  return std::move(observation_);
}

Observation Run(const Program& program) { return Execution(program).Run(); }

std::set<Opcode> KnownStatements() {
  std::set<Opcode> ops = ComputedOps();
  for (Opcode op : {Opcode::kLeaf, Opcode::kRetainGrad, Opcode::kReadGrad, Opcode::kZeroGrad,
                    Opcode::kBackward, Opcode::kGrad, Opcode::kCustom, Opcode::kCustomInPlace,
                    Opcode::kBegin, Opcode::kEnd, Opcode::kExpect}) {
    ops.insert(op);
  }
  if (kHasHooks) {
    ops.insert({Opcode::kHook, Opcode::kPreHook, Opcode::kPostHook, Opcode::kAccumulateHook,
                Opcode::kRemoveHook});
  }
  return ops;
}

}  // namespace twingrad::libtorch
