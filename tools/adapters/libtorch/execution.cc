#include "tools/adapters/libtorch/execution.h"

#include <ATen/ATen.h>
#include <c10/util/ScopeExit.h>
#include <torch/csrc/autograd/anomaly_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "autograd/program/leaf_data.h"
#include "autograd/program/limits.h"
#include "autograd/program/region.h"
#include "autograd/program/signature.h"
#include "autograd/program/walk.h"
#include "tools/adapters/libtorch/custom.h"
#include "tools/adapters/libtorch/failures.h"
#include "tools/adapters/libtorch/hooks.h"
#include "tools/adapters/libtorch/node_names.h"
#include "tools/adapters/libtorch/operations.h"
#include "tools/adapters/libtorch/recorder.h"
#include "tools/adapters/libtorch/saved_hooks.h"
#include "tools/adapters/libtorch/tensor_data.h"
#include "tools/adapters/libtorch/version.h"

namespace twingrad::libtorch {
namespace {

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

class Execution : private program::StatementRunner {
 public:
  explicit Execution(const Program& program)
      : program_(program),
        recorder_(names_, observation_.calls),
        values_(program.names.size()),
        defined_at_(program.names.size(), -1) {
    at::GradMode::set_enabled(true);
  }

  Observation Run();

 private:
  bool BeforeStatement(int32_t index) override {
    statement_ = index;
    return true;
  }
  std::optional<ErrorRecord> RunStatement(int32_t index) override;
  // Errors that libtorch words in an unknown way are kInternal, and end a try region as others do.
  bool IsSurvivable(ErrorKind) const override { return true; }
  bool grad_mode() const override { return at::GradMode::is_enabled(); }
  void set_grad_mode(bool enabled) override { at::GradMode::set_enabled(enabled); }
  std::optional<ErrorRecord> EnterRegion(int32_t begin, program::RegionKind kind) override;
  void LeaveRegion(int32_t begin, program::RegionKind kind) override;

  void SetSavedHooks();

  void Dispatch(const Statement& statement);
  void Leaf(const Statement& statement);
  void MakeRowMajor(const Statement& statement, Tensor* result);
  void Gradient(const Statement& statement);
  void AddHook(const Statement& statement);
  void AddRecordingHook(ValueId target, int32_t at);
  void RemoveHook(const std::string& id);
  void Act(const Statement& statement, int32_t at);
  void RunNestedBackward(ValueId target, int32_t at);
  void Custom(const Statement& statement);
  void Call(const Statement& statement);
  std::vector<Tensor> ValuesOf(const Statement& statement, Key key) const;
  std::vector<Tensor> Seeds(const Statement& statement, const std::vector<Tensor>& roots) const;
  void Define(ValueId id, Tensor value);
  void NoteValue(ValueId id);
  void NoteWrite(ValueId id);
  void NoteRegenerated(ValueId id);
  void NoteOldNode(const Statement& statement);
  void NoteAll();
  void NoteGradients(const Statement& statement);
  Tensor Defined(ValueId id) const;
  Observation Observe();

  const Program& program_;
  Observation observation_;
  NodeNames names_;
  Recorder recorder_;
  std::vector<Tensor> values_;
  std::vector<int32_t> defined_at_;
  std::map<std::string, std::shared_ptr<ProgramHook>> hooks_;  // by id=
  std::vector<NodePtr> hooked_;
  std::deque<CustomState> customs_;  // at fixed addresses
  std::vector<Node*> running_;       // custom functions, innermost last
  std::vector<int32_t> nested_;      // the statements whose hooks are making calls, innermost last
  int32_t statement_ = -1;
  std::vector<bool> anomaly_before_;  // of each region of kind=anomaly that is open
  std::vector<int32_t> saved_hooks_;  // the `begin` of each such region that is open
};

std::optional<ErrorRecord> Execution::EnterRegion(int32_t begin, program::RegionKind kind) {
  switch (kind) {
    case program::RegionKind::kAnomaly:
      anomaly_before_.push_back(torch::autograd::AnomalyMode::is_enabled());
      torch::autograd::AnomalyMode::set_enabled(true, /*check_nan=*/true);
      return std::nullopt;
    case program::RegionKind::kSavedTensorHooks:
      saved_hooks_.push_back(begin);
      SetSavedHooks();
      return std::nullopt;
    default:
      return program::RefuseRegion(begin, kind);
  }
}

void Execution::LeaveRegion(int32_t, program::RegionKind kind) {
  if (kind == program::RegionKind::kSavedTensorHooks) {
    saved_hooks_.pop_back();
    return SetSavedHooks();
  }
  torch::autograd::AnomalyMode::set_enabled(anomaly_before_.back(), /*check_nan=*/true);
  anomaly_before_.pop_back();
}

// The innermost region's.
void Execution::SetSavedHooks() {
  if (saved_hooks_.empty()) return recorder_.SetSavedHooks(nullptr);
  const Statement& begin = program_.statements[saved_hooks_.back()];
  const SavedHooksAction action = {begin.Get<std::string>(Key::kDo, "record"),
                                   begin.Get<double>(Key::kBy, 1.0)};
  recorder_.SetSavedHooks([action] { return MakeSavedHooks(action); });
}

NodePtr GradFn(const Tensor& tensor) { return Hold(torch::autograd::impl::grad_fn_unsafe(tensor)); }

Observation Execution::Run() {
  program::Walk(program_, *this, observation_);
  at::GradMode::set_enabled(true);
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
  Tensor result = Compute(statement, operands);
  MakeRowMajor(statement, &result);
  // Operands first: views among them may have got a new node, on which the result's stands.
  if (statement.results.empty()) {
    for (ValueId id : statement.operands) {
      if (id != statement.operands[0]) NoteRegenerated(id);
    }
    NoteOldNode(statement);
    NoteWrite(statement.operands[0]);
  }
  for (ValueId id : statement.operands) NoteValue(id);
  if (!statement.results.empty()) Define(statement.results[0], std::move(result));
}

// Programs' results are row-major, libtorch's may have the strides of a permuted operand. What a
// node has saved keeps the old memory: the same elements, with the same version.
void Execution::MakeRowMajor(const Statement& statement, Tensor* result) {
  using program::Category;
  if (!result->defined() || result->is_contiguous()) return;
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
    Define(statement.results[0], grad.clone(at::MemoryFormat::Contiguous));
  }
}

void Execution::AddHook(const Statement& statement) {
  auto hook = std::make_shared<ProgramHook>();
  hook->statement = statement_;
  hook->action = statement.Get<std::string>(Key::kDo);
  hook->by = statement.Get<double>(Key::kBy, 1.0);
  hook->note = [this, &statement](const ProgramHook& seen, Node* node, const Tensor& gradient) {
    recorder_.NoteHook(seen.statement, node, gradient);
    Act(statement, seen.statement);
  };
  const Tensor value = Defined(statement.operands[0]);
  hooked_.push_back(Attach(statement, value, hook));
  NoteValue(statement.operands[0]);
  if (const auto* id = statement.Find(Key::kId)) hooks_[std::get<std::string>(*id)] = hook;
}

void Execution::AddRecordingHook(ValueId target, int32_t at) {
  auto hook = std::make_shared<ProgramHook>();
  hook->statement = at;
  hook->action = "record";
  hook->note = [this](const ProgramHook& seen, Node* node, const Tensor& gradient) {
    recorder_.NoteHook(seen.statement, node, gradient);
  };
  hooked_.push_back(AttachToTensorOf(Defined(target), std::move(hook)));
  NoteValue(target);
}

void Execution::RemoveHook(const std::string& id) {
  const auto it = hooks_.find(id);
  if (it != hooks_.end()) it->second->removed = true;
}

// What the hook or custom function of the statement at `at` does beside its gradients.
void Execution::Act(const Statement& statement, int32_t at) {
  const auto action = statement.Get<std::string>(Key::kDo);
  if (action == "callback") {
    return torch::autograd::Engine::get_default_engine().queue_callback(
        [this, at] { recorder_.NoteCallback(at); });
  }
  const auto* target = statement.Find(Key::kTarget);
  if (target == nullptr) return;
  if (const auto* handle = std::get_if<std::string>(target)) return RemoveHook(*handle);
  const ValueId value = std::get<Values>(*target)[0];
  if (action == "backward") return RunNestedBackward(value, at);
  AddRecordingHook(value, at);
}

// Whether the graph that begins at `from` holds `node`.
bool Reaches(Node* from, const Node* node) {
  std::vector<Node*> open = {from};
  std::set<Node*> seen = {nullptr};
  while (!open.empty()) {
    Node* next = open.back();
    open.pop_back();
    if (!seen.insert(next).second) continue;
    if (next == node) return true;
    for (const auto& edge : next->next_edges()) open.push_back(edge.function.get());
  }
  return false;
}

// libtorch locks a custom function while it runs: a call that comes to it again waits for itself.
void Execution::RunNestedBackward(ValueId target, int32_t at) {
  if (nested_.size() >= static_cast<size_t>(program::kMaxNestedCalls)) return;
  if (std::find(nested_.begin(), nested_.end(), at) != nested_.end()) return;
  nested_.push_back(at);
  const auto leave = c10::make_scope_exit([this] { nested_.pop_back(); });
  program::CallRecord record;
  record.statement = at;
  record.keep_graph = true;
  record.create_graph = at::GradMode::is_enabled();
  record.accumulate_grad = true;
  Recorder::Call call(recorder_, record);
  const Tensor root = Defined(target);
  for (Node* custom : running_) {
    if (Reaches(GradFn(root).get(), custom)) {
      throw Refusal(ErrorKind::kUnsupported, "a call over a custom function that is running");
    }
  }
  call.Expect({}, [this] { NoteAll(); });
  torch::autograd::backward({root}, {at::ones_like(root)}, /*retain_graph=*/true,
                            record.create_graph);
}

void Execution::Custom(const Statement& statement) {
  CustomState& state = customs_.emplace_back();
  state.statement = statement_;
  state.action = statement.Get<std::string>(Key::kDo);
  state.by = statement.Get<double>(Key::kBy, 1.0);
  state.non_differentiable = statement.Get<std::vector<int64_t>>(Key::kNonDifferentiable);
  state.keeps_undefined = statement.Get<bool>(Key::kKeepUndefined);
  state.writes = statement.op == Opcode::kCustomInPlace;
  state.note = [this](const CustomState& seen, Node* node, const Tensor& gradient) {
    recorder_.NoteHook(seen.statement, node, gradient);
  };
  state.act = [this, &statement, &state, at = statement_] {
    running_.push_back(state.node);
    const auto leave = c10::make_scope_exit([this] { running_.pop_back(); });
    Act(statement, at);
  };
  std::vector<Tensor> operands;
  for (ValueId id : statement.operands) operands.push_back(Defined(id));
  std::vector<Tensor> results = RunCustom(state, operands);
  if (state.writes) NoteWrite(statement.operands[0]);
  for (ValueId id : statement.operands) NoteValue(id);
  for (size_t i = 0; i < statement.results.size(); ++i) {
    Define(statement.results[i], std::move(results[i]));
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

// As torch.autograd makes them: surplus ones are dropped, shapes must be equal.
std::vector<Tensor> Execution::Seeds(const Statement& statement,
                                     const std::vector<Tensor>& roots) const {
  std::vector<Tensor> seeds = ValuesOf(statement, Key::kSeeds);
  if (seeds.empty()) return seeds;
  if (seeds.size() < roots.size()) {
    throw Refusal(ErrorKind::kGradCount, "fewer seeds than roots");
  }
  seeds.resize(roots.size());
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

// A gradient may be the seed, a view of it, or shared with another or the graph: in Programs it is
// a variable of its own. Zeros without memory stay what they are, so that their defects show.
Tensor OfItsOwn(const Tensor& gradient, bool create_graph) {
  if (!gradient.defined() || gradient._is_zerotensor()) return gradient;
  const at::AutoGradMode record(create_graph && gradient.requires_grad());
  return gradient.clone(at::MemoryFormat::Contiguous);
}

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
    const Tensor grad = value.mutable_grad();
    record.grad_defined = grad.defined();
    if (grad.defined()) record.grad = DataOf(grad);
  }
  program::OrderCalls(observation_.calls);
  return std::move(observation_);
}

}  // namespace

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
