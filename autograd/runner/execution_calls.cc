// The calls of the engine and the hooks that they run. See execution.h.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/engine/front_end.h"
#include "autograd/graph/variable.h"
#include "autograd/ops/recording.h"
#include "autograd/runner/execution.h"
#include "autograd/runner/hook_effect.h"

namespace twingrad::runner {

using program::Key;
using program::kNoValue;
using program::Opcode;
using program::Statement;
using program::ValueId;

std::vector<Tensor> Execution::ValuesOf(const Statement& statement, Key key) const {
  std::vector<Tensor> tensors;
  const auto* given = statement.Find(key);
  if (given == nullptr) return tensors;
  const char* name = key == Key::kSeeds ? "seeds" : "inputs";
  for (ValueId id : std::get<std::vector<ValueId>>(*given)) {
    if (id != kNoValue) ops::CheckDefined(name, values_[id]);
    tensors.push_back(id == kNoValue ? Tensor() : values_[id]);
  }
  return tensors;
}

// Roots, seeds and inputs that are views may have got a new node.
void Execution::NoteCallOperands(const Statement& statement) {
  for (ValueId id : statement.operands) NoteOperand(id);
  for (const Key key : {Key::kSeeds, Key::kInputs}) {
    const auto* given = statement.Find(key);
    if (given == nullptr) continue;
    for (ValueId id : std::get<std::vector<ValueId>>(*given)) {
      if (id != kNoValue) NoteOperand(id);
    }
  }
}

void Execution::Call(const Statement& statement) {
  const bool is_grad = statement.op == Opcode::kGrad;
  const bool create_graph = statement.Get<bool>(Key::kCreateGraph);
  program::CallRecord record;
  record.statement = statement_;
  record.keep_graph = statement.Get<bool>(Key::kRetainGraph, create_graph);
  record.create_graph = create_graph;
  record.accumulate_grad = !is_grad;
  recorder_.BeginCall(std::move(record), [this, &statement] { NoteCallOperands(statement); });

  absl::InlinedVector<Tensor, 2> roots;
  for (ValueId id : statement.operands) {
    ops::CheckDefined("roots", values_[id]);
    roots.push_back(values_[id]);
  }
  const std::vector<Tensor> seeds = ValuesOf(statement, Key::kSeeds);
  std::vector<Tensor> inputs = ValuesOf(statement, Key::kInputs);
  std::optional<bool> retain_graph;
  if (const auto* flag = statement.Find(Key::kRetainGraph)) retain_graph = std::get<bool>(*flag);
  if (!is_grad) {
    BackwardOptions options{retain_graph, create_graph, std::nullopt, &engine_};
    if (statement.Find(Key::kInputs) != nullptr) options.inputs = std::move(inputs);
    Backward(roots, seeds, options);
  } else {
    const bool materialize = statement.Get<bool>(Key::kMaterialize);
    std::optional<bool> allow_unused;
    if (!materialize) allow_unused = statement.Get<bool>(Key::kAllowUnused);
    const GradOptions options{retain_graph, create_graph, allow_unused, materialize, &engine_};
    VariableList gradients = twingrad::Grad(roots, inputs, seeds, options);
    for (size_t i = 0; i < gradients.size(); ++i) Define(statement, i, std::move(gradients[i]));
  }
  NoteCallOperands(statement);
}

void Execution::AddHook(const Statement& statement) {
  const ValueId id = statement.operands[0];
  const Tensor& value = values_[id];
  const auto& word = std::get<std::string>(*statement.Find(Key::kDo));
  const std::optional<HookAction> action = HookActionOf(word);
  if (!action.has_value()) {
    RefuseUnsupported(absl::StrCat("a hook with do=", word));
  }
  ops::CheckDefined("hook", value);
  const HookEffect effect{*action, statement.Get<double>(Key::kBy, 1.0), value.dtype(),
                          value.device()};
  const int32_t at = statement_;
  HookHandle handle;
  if (statement.op == Opcode::kAccumulateHook) {
    const Node* node = RequiresGrad(value) ? GradientEdge(value).function.get() : nullptr;
    handle = RegisterPostAccumulateGradHook(value, [this, at, node, effect](const Tensor& grad) {
      recorder_.NoteHook(*node, at, grad);
      effect(grad);
    });
  } else if (statement.op == Opcode::kHook) {
    const Node* node = RequiresGrad(value) ? GradientEdge(value).function.get() : nullptr;
    handle = RegisterHook(value, [this, at, node, effect](const Tensor& gradient) {
      recorder_.NoteHook(*node, at, gradient);
      return effect(gradient);
    });
  } else {
    handle = AddNodeHook(statement, effect);
  }
  NoteOperand(id);
  if (const auto* name = statement.Find(Key::kId)) {
    handles_.emplace_back(std::get<std::string>(*name), handle);
  }
}

// pre_hook, post_hook: on the value's node, with all its gradients.
HookHandle Execution::AddNodeHook(const Statement& statement, const HookEffect& effect) {
  const Tensor& value = values_[statement.operands[0]];
  if (!RequiresGrad(value)) {
    throw Error(ErrorKind::kNoGraph,
                "[runner] a node hook on a value that does not require grad; only values that "
                "require grad have a node; compute it from a leaf with grad=1");
  }
  Node* node = GradientEdge(value).function.get();
  const int32_t at = statement_;
  const auto apply = [effect](VariableList gradients) {
    for (Tensor& gradient : gradients) gradient = effect(gradient);
    return gradients;
  };
  if (statement.op == Opcode::kPreHook) {
    return RegisterPreHook(*node, [this, at, node, apply](const VariableList& gradients) {
      recorder_.NoteHook(*node, at, gradients[0]);
      return apply(gradients);
    });
  }
  return RegisterPostHook(
      *node, [this, at, node, apply, effect](VariableList results, const VariableList& gradients) {
        recorder_.NoteHook(*node, at, gradients[0]);
        // Without results, too, a hook that throws throws.
        if (results.empty()) effect(Tensor());
        return apply(std::move(results));
      });
}

void Execution::RemoveHook(const Statement& statement) {
  const auto& id = std::get<std::string>(*statement.Find(Key::kId));
  for (const auto& [name, handle] : handles_) {
    if (name == id) Remove(handle);
  }
}

}  // namespace twingrad::runner
