#include "autograd/runner/execution.h"

#include <exception>
#include <optional>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/graph/grad_mode.h"
#include "autograd/graph/thread_state.h"
#include "autograd/graph/variable.h"
#include "autograd/ops/copy.h"
#include "autograd/ops/recording.h"
#include "autograd/ops/registry.h"
#include "autograd/program/leaf_data.h"
#include "autograd/program/signature.h"
#include "autograd/runner/tensor_data.h"

namespace twingrad::runner {

using program::Category;
using program::Key;
using program::Observation;
using program::Opcode;
using program::Program;
using program::Statement;
using program::ValueId;

namespace {

[[noreturn]] void RefuseUnsupported(const std::string& what) {
  throw Error(ErrorKind::kUnsupported,
              absl::StrCat("[runner] ", what, " is not run by this engine; leave it out"));
}

}  // namespace

Execution::Execution(const Program& program, Engine& engine, const RunOptions& options)
    : program_(program),
      engine_(engine),
      options_(options),
      recorder_(names_, observation_.calls),
      values_(program.names.size()),
      defined_at_(program.names.size(), -1),
      grad_mode_before_(CurrentThread().grad_mode) {
  CurrentThread().grad_mode = true;
  if (options_.record_calls) engine_.SetObserver(&recorder_);
}

Execution::~Execution() {
  engine_.SetObserver(nullptr);
  CurrentThread().grad_mode = grad_mode_before_;
}

Observation Execution::Run() {
  const auto count = static_cast<int32_t>(program_.statements.size());
  for (int32_t s = 0; s < count; ++s) {
    if (!Step(s)) break;
  }
  if (options_.check_frozen) {
    engine_.Stop();
    IsFrozen();
  }
  return Observe();
}

bool Execution::IsFrozen() {
  const std::optional<size_t> changed = frozen_.Changed(values_);
  if (!changed.has_value()) return true;
  observation_.error = program::ErrorRecord{
      ErrorKind::kInternal, last_call_,
      absl::StrCat("[runner] the .grad of %", program_.names[*changed],
                   " changed after the call had ended; nothing may write it then")};
  frozen_.Thaw();
  return false;
}

void Execution::NoteFrozen(const Statement& statement) {
  const Category category = program::SignatureOf(statement.op).category;
  if (category == Category::kGradient) frozen_.Thaw();
  if (category != Category::kCall) return;
  last_call_ = statement_;
  frozen_.Take(values_);
}

bool Execution::Step(int32_t& index) {
  statement_ = index;
  const Statement& statement = program_.statements[index];
  if (options_.check_frozen && !IsFrozen()) return false;
  names_.BeginStatement(index, statement.op == Opcode::kBackward || statement.op == Opcode::kGrad);
  program::ErrorRecord error{ErrorKind::kInternal, index, ""};
  try {
    RunStatement(statement);
    if (options_.check_frozen) NoteFrozen(statement);
    return true;
  } catch (const Error& thrown) {
    error.error = thrown.kind();
    error.message = thrown.what();
  } catch (const std::exception& thrown) {
    error.message = thrown.what();
  } catch (...) {
    error.message = "an exception of unknown type";
  }
  if (options_.check_frozen) NoteFrozen(statement);
  const bool may_recover =
      error.error != ErrorKind::kUnsupported && error.error != ErrorKind::kInternal;
  if (may_recover && Recover(index)) {
    observation_.survived.push_back(std::move(error));
    return true;
  }
  observation_.error = std::move(error);
  return false;
}

bool Execution::Recover(int32_t& index) {
  size_t depth = regions_.size();
  while (depth > 0 && !regions_[depth - 1].is_try) --depth;
  if (depth == 0) return false;
  const Region& region = regions_[depth - 1];
  index = region.end;
  CurrentThread().grad_mode = region.grad_mode_before;
  regions_.resize(depth - 1);
  return true;
}

void Execution::RunStatement(const Statement& statement) {
  switch (program::SignatureOf(statement.op).category) {
    case Category::kLeaf:
      return Leaf(statement);
    case Category::kElementwise:
    case Category::kReduction:
    case Category::kMatmul:
    case Category::kRearrange:
    case Category::kScan:
    case Category::kLoss:
    case Category::kView:
    case Category::kCopy:
    case Category::kInPlace:
      return Compute(statement);
    case Category::kGradient:
      return GradientStatement(statement);
    case Category::kHook:
      if (statement.op == Opcode::kRemoveHook) return RemoveHook(statement);
      return AddHook(statement);
    case Category::kCall:
      return Call(statement);
    case Category::kRegion:
      return statement.op == Opcode::kBegin ? Begin(statement) : End();
    case Category::kExpect:
      return;
    case Category::kCustom:
      RefuseUnsupported("a custom function");
    case Category::kStream:
      RefuseUnsupported("a statement about streams");
  }
}

void Execution::Define(const Statement& statement, size_t result, Tensor value) {
  const ValueId id = statement.results[result];
  values_[id] = std::move(value);
  defined_at_[id] = statement_;
}

void Execution::NoteOperand(ValueId value) {
  names_.NoteOperand(values_[value], defined_at_[value]);
}

void Execution::Leaf(const Statement& statement) {
  const auto& type = std::get<program::TensorType>(*statement.Find(Key::kType));
  const auto device =
      static_cast<program::DeviceIndex>(statement.Get<int64_t>(Key::kDevice, program::kCpu));
  Tensor leaf = TensorFromBits(type, program::LeafData(statement), ops::DeviceOf(device));
  if (statement.Get<bool>(Key::kGrad)) {
    SetRequiresGrad(leaf, true);
    names_.NoteLeaf(leaf);
  }
  Define(statement, 0, std::move(leaf));
}

void Execution::Compute(const Statement& statement) {
  const ops::Operation* operation = ops::Find(statement.op);
  absl::InlinedVector<Tensor*, 3> operands;
  for (ValueId id : statement.operands) operands.push_back(&values_[id]);
  Tensor result = operation->run(operands, statement);
  if (!statement.results.empty()) Define(statement, 0, std::move(result));
  for (ValueId id : statement.operands) NoteOperand(id);
}

void Execution::GradientStatement(const Statement& statement) {
  const ValueId id = statement.operands[0];
  Tensor& value = values_[id];
  ops::CheckDefined(program::SignatureOf(statement.op).name.data(), value);
  switch (statement.op) {
    case Opcode::kRetainGrad:
      RetainGrad(value);
      return NoteOperand(id);
    case Opcode::kReadGrad: {
      const Tensor grad = Grad(value);
      if (grad.defined()) Define(statement, 0, ops::Clone(grad));
      return;
    }
    default:
      return SetGrad(value, Tensor());
  }
}

void Execution::Begin(const Statement& statement) {
  const auto& kind = std::get<std::string>(*statement.Find(Key::kKind));
  if (kind != "no_grad" && kind != "try") RefuseUnsupported("a region of kind=" + kind);
  regions_.push_back({CurrentThread().grad_mode, kind == "try", EndOf(statement_)});
  if (kind == "no_grad") CurrentThread().grad_mode = false;
}

void Execution::End() {
  CurrentThread().grad_mode = regions_.back().grad_mode_before;
  regions_.pop_back();
}

int32_t Execution::EndOf(int32_t begin) const {
  const auto count = static_cast<int32_t>(program_.statements.size());
  int depth = 0;
  for (int32_t s = begin; s < count; ++s) {
    if (program_.statements[s].op == Opcode::kBegin) ++depth;
    if (program_.statements[s].op == Opcode::kEnd && --depth == 0) return s;
  }
  return count;
}

Observation Execution::Observe() {
  observation_.values.resize(values_.size());
  for (size_t id = 0; id < values_.size(); ++id) {
    const Tensor& value = values_[id];
    if (!value.defined()) continue;
    program::ValueRecord& record = observation_.values[id];
    record.defined = true;
    record.requires_grad = RequiresGrad(value);
    record.data = DataOf(value);
    record.version = value.version();
    const Tensor grad = Grad(value);
    record.grad_defined = grad.defined();
    if (grad.defined()) record.grad = DataOf(grad);
  }
  return std::move(observation_);
}

}  // namespace twingrad::runner
