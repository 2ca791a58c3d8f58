#include "autograd/runner/execution.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/device/stream.h"
#include "autograd/graph/anomaly.h"
#include "autograd/graph/grad_layout.h"
#include "autograd/graph/inference_mode.h"
#include "autograd/graph/thread_state.h"
#include "autograd/graph/variable.h"
#include "autograd/ops/copy.h"
#include "autograd/ops/recording.h"
#include "autograd/ops/registry.h"
#include "autograd/ops/sparse.h"
#include "autograd/program/accessors.h"
#include "autograd/program/leaf_data.h"
#include "autograd/program/region.h"
#include "autograd/program/signature.h"
#include "autograd/runner/accessors.h"
#include "autograd/runner/shared_memory.h"
#include "autograd/runner/tensor_data.h"
#include "autograd/sync/watch.h"
#include "autograd/tensor/pool.h"

namespace twingrad::runner {

using program::Category;
using program::Key;
using program::Observation;
using program::Opcode;
using program::Program;
using program::Statement;
using program::ValueId;

program::Observation Run(const Program& program, Engine& engine, const RunOptions& options) {
  if (!options.count_memory) return Execution(program, engine, options).Run();
  const pool::Use before = pool::UseOfThread();
  Observation seen = Execution(program, engine, options).Run();
  const pool::Use left = pool::UseOfThread() - before;
  if (left.blocks == 0 && left.bytes == 0) return seen;
  // Threads of their own free what this one has made, and the other way round.
  const bool has_sections = std::ranges::any_of(program.statements, [](const Statement& statement) {
    return program::Begins(statement, program::RegionKind::kThread);
  });
  if (has_sections) return seen;
  seen.leaked_blocks = left.blocks;
  seen.leaked_bytes = left.bytes;
  return seen;
}

Execution::Execution(const Program& program, Engine& engine, const RunOptions& options)
    : program_(program),
      engine_(engine),
      options_(options),
      own_(std::make_unique<Shared>(program, engine, names_, observation_.calls)),
      shared_(*own_),
      recorder_(shared_.recorder),
      values_(shared_.values),
      defined_at_(shared_.defined_at),
      actor_(shared_.actor),
      modes_before_(CurrentThread().modes) {
  names_.Expect(program.statements.size());
  observation_.calls.reserve(4);  // most Programs make no more
  CurrentThread().modes = Modes();
  CurrentThread().modes.warning_handler = &shared_.warnings;
  TakeStreamReports(recorder_.devices());  // what others have left
  if (options_.record_calls) engine_.SetObserver(&recorder_);
}

Execution::~Execution() {
  if (outer_ != nullptr) return;
  engine_.SetObserver(nullptr);
  CurrentThread().modes = modes_before_;
}

Observation Execution::Run() {
  program::Walk(program_, *this, observation_);
  if (options_.check_frozen) {
    engine_.Stop();
    IsFrozen();
  }
  if (shared_.stopper.IsJoinable()) shared_.stopper.Join();
  streams_.Leave();
  LookAtDevices([this] { SynchronizeDevices(recorder_.devices()); });
  return Observe();
}

// A device that has failed gives nothing back: the run ends with that.
template <class Look>
void Execution::LookAtDevices(const Look& look) {
  try {
    look();
  } catch (const Error& thrown) {
    if (!observation_.error) observation_.error = {thrown.kind(), statement_, thrown.what()};
  }
}

bool Execution::IsFrozen() {
  const std::optional<size_t> changed = frozen_.Changed(values_);
  if (!changed.has_value()) return true;
  observation_.late_write = program::LateWrite{static_cast<ValueId>(*changed), last_call_};
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

bool Execution::BeforeStatement(int32_t index) {
  statement_ = index;
  if (options_.check_frozen && !IsFrozen()) return false;
  const Opcode op = program_.statements[index].op;
  names_.BeginStatement(index, op == Opcode::kBackward || op == Opcode::kGrad);
  return true;
}

std::optional<program::ErrorRecord> Execution::RunStatement(int32_t index) {
  const Statement& statement = program_.statements[index];
  std::optional<program::ErrorRecord> error;
  try {
    const std::string place = AnomalyMode::IsEnabled() ? absl::StrCat("statement ", index) : "";
    AnomalyLabel label(place);
    const WorkLabelGuard work(program::SignatureOf(statement.op).name, index);
    Dispatch(statement);
  } catch (const Error& thrown) {
    error = {thrown.kind(), index, thrown.what()};
  } catch (const std::exception& thrown) {
    error = {ErrorKind::kInternal, index, thrown.what()};
  } catch (...) {
    error = {ErrorKind::kInternal, index, "an exception of unknown type"};
  }
  // A statement that fails may have made the node of an operand that is a view anew before.
  if (error.has_value()) {
    for (const ValueId operand : statement.operands) NoteOperand(operand);
  }
  if (options_.check_frozen) NoteFrozen(statement);
  return error;
}

bool Execution::IsSurvivable(ErrorKind error) const { return error != ErrorKind::kInternal; }

bool Execution::grad_mode() const { return CurrentThread().modes.grad_mode; }

void Execution::set_grad_mode(bool enabled) { CurrentThread().modes.grad_mode = enabled; }

void Execution::Dispatch(const Statement& statement) {
  switch (program::SignatureOf(statement.op).category) {
    case Category::kLeaf:
      return Leaf(statement);
    case Category::kElementwise:
    case Category::kReduction:
    case Category::kMatmul:
    case Category::kRearrange:
    case Category::kScan:
    case Category::kNorm:
    case Category::kLoss:
    case Category::kView:
    case Category::kCopy:
    case Category::kInPlace:
      return Compute(statement);
    case Category::kGradient:
      return GradientStatement(statement);
    case Category::kHook:
      if (statement.op == Opcode::kRemoveHook) {
        return actor_.RemoveHook(statement.Get<std::string>(Key::kId));
      }
      return AddHook(statement);
    case Category::kCall:
      return Call(statement);
    case Category::kRegion:  // the walk's
    case Category::kExpect:
      return;
    case Category::kCustom:
      return Custom(statement);
    case Category::kStream:
      return streams_.Run(statement);
  }
}

void Execution::Define(const Statement& statement, size_t result, Tensor value) {
  const ValueId id = statement.results[result];
  values_[id] = std::move(value);
  defined_at_[id] = statement_;
}

void Execution::NoteOperand(ValueId value) {
  if (!values_[value].defined()) return;
  const auto& results = program_.statements[defined_at_[value]].results;
  names_.NoteOperand(values_[value], defined_at_[value], value - results[0],
                     static_cast<int32_t>(results.size()));
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
  const ops::RegisteredOp* operation = ops::Find(statement.op);
  absl::InlinedVector<Tensor*, 3> operands;
  for (ValueId id : statement.operands) operands.push_back(&values_[id]);
  absl::InlinedVector<Tensor, 1> results(statement.results.size());
  operation->run(operands, statement, {results.data(), results.size()});
  for (size_t k = 0; k < results.size(); ++k) Define(statement, k, std::move(results[k]));
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
      const Tensor grad = GradOf(value);
      if (grad.defined()) {
        Define(statement, 0, grad.is_sparse() ? ops::ToDense(grad) : ops::Clone(grad));
      }
      return;
    }
    case Opcode::kSetGrad:
      return SetGradOf(statement);
    default:
      return SetGrad(value, Tensor());
  }
}

// A copy with the strides that `.grad` of the second operand would have.
void Execution::SetGradOf(const Statement& statement) {
  const Tensor& grad = values_[statement.operands[1]];
  ops::CheckDefined("set_grad", grad);
  SetGrad(values_[statement.operands[0]], GradLayout(grad).Clone(grad));
}

void Execution::ObserveValue(size_t id) {
  const Tensor& value = values_[id];
  if (!value.defined()) return;
  program::ValueRecord& record = observation_.values[id];
  record.defined = true;
  record.requires_grad = RequiresGrad(value);
  ReadInto(value, record.data);
  if (!IsInference(value)) record.version = value.version();
  const auto note = [&](const Tensor& gradient, const program::TensorData& read, bool is_grad) {
    ReadByAccessors(gradient, read, {static_cast<ValueId>(id), is_grad, observation_.accessors});
  };
  if (program::IsGradient(program_.statements[defined_at_[id]])) note(value, record.data, false);
  const Tensor grad = GradOf(value);
  record.grad_defined = grad.defined();
  if (!grad.defined()) return;
  ReadInto(grad, record.grad);
  note(grad, record.grad, true);
}

Observation Execution::Observe() {
  const sync::WatchScope watching;
  const NoGradGuard no_grad;
  observation_.values.resize(values_.size());
  for (size_t id = 0; id < values_.size(); ++id) {
    LookAtDevices([this, id] { ObserveValue(id); });
  }
  const std::vector<ValueId> storages = Storages(values_);
  for (size_t id = 0; id < values_.size(); ++id) observation_.values[id].storage = storages[id];
  if (options_.stop.has_value()) observation_.stopped_beside = options_.stop->call;
  program::OrderCalls(observation_.calls);
  observation_.warnings = shared_.warnings.Take();
  observation_.stream_reports = TakeStreamReports(recorder_.devices());
  observation_.reports_each_access = ReportEachAccess(recorder_.devices());
  return std::move(observation_);
}

}  // namespace twingrad::runner
