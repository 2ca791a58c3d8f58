// Hooks, custom functions, the calls that these make, and regions. See execution_run.h.

#include <ATen/ATen.h>
#include <c10/util/ScopeExit.h>
#include <torch/csrc/autograd/anomaly_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/engine.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "autograd/program/limits.h"
#include "tools/adapters/libtorch/execution_run.h"
#include "tools/adapters/libtorch/failures.h"
#include "tools/adapters/libtorch/saved_hooks.h"

namespace twingrad::libtorch {

using at::Tensor;
using program::ErrorRecord;
using program::Key;
using program::Opcode;
using program::Statement;
using program::ValueId;
using Values = std::vector<ValueId>;

namespace {

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

}  // namespace

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

std::optional<std::vector<program::SectionEnd>> Execution::RunSections(
    const std::vector<program::Section>& sections) {
  std::vector<program::SectionEnd> ends;
  for (const program::Section& section : sections) {
    std::thread([this, &ends, &section, record = at::GradMode::is_enabled()] {
      const at::AutoGradMode mode(record);
      ends.push_back(program::WalkSection(program_, section, *this));
    }).join();
  }
  statement_ = sections.back().end;
  return ends;
}

// The innermost region's.
void Execution::SetSavedHooks() {
  if (saved_hooks_.empty()) return recorder_.SetSavedHooks(nullptr);
  const Statement& begin = program_.statements[saved_hooks_.back()];
  const SavedHooksAction action = {begin.Get<std::string>(Key::kDo, "record"),
                                   begin.Get<double>(Key::kBy, 1.0)};
  recorder_.SetSavedHooks([action] { return MakeSavedHooks(action); });
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
  if (action == "zero_grad") {
    values_[statement.operands[0]].mutable_grad() = Tensor();
    return;
  }
  const auto* target = statement.Find(Key::kTarget);
  if (target == nullptr) return;
  if (const auto* handle = std::get_if<std::string>(target)) return RemoveHook(*handle);
  const ValueId value = std::get<Values>(*target)[0];
  if (action == "backward") return RunNestedBackward(value, at);
  AddRecordingHook(value, at);
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

}  // namespace twingrad::libtorch
