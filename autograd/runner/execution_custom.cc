// Statements `custom`: a custom function whose backward does what do= says. See execution.h.

#include <any>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/graph/custom_function.h"
#include "autograd/graph/thread_state.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/copy.h"
#include "autograd/ops/elementary.h"
#include "autograd/ops/recording.h"
#include "autograd/runner/execution.h"
#include "autograd/runner/hook_effect.h"
#include "autograd/sync/user_code.h"

namespace twingrad::runner {

using program::Key;
using program::Opcode;
using program::Statement;
using program::ValueId;

namespace {

// What the statement's forward and backward do, beside logging.
struct Behaviour {
  std::string action;
  std::optional<HookEffect> effect;  // on each gradient, where it is one that hooks have too
  std::vector<int64_t> non_differentiable;
  bool keeps_undefined = false;
  bool writes = false;  // its one operand
  // Logs the gradients of the results, and acts on others.
  std::function<void(const VariableList&)> see;

  Tensor Forward(const Tensor& operand) const {
    if (!IsFloating(operand.dtype())) return ops::Clone(operand);
    if (action == "square") return ops::Mul(operand, operand);
    if (action == "exp") return ops::Exp(operand);
    return ops::Clone(operand);
  }

  Tensor Backward(const Tensor& gradient, const Tensor& saved) const {
    // As hooks do, it throws whatever it is given.
    if (!gradient.defined()) return action == "throw" ? (*effect)(gradient) : gradient;
    if (action == "square") return ops::Mul(gradient, ops::Mul(saved, ops::Constant(2, saved)));
    if (action == "exp") return ops::Mul(gradient, saved);
    if (action == "nan") {
      return Tensor::Full(gradient.sizes(), std::numeric_limits<double>::quiet_NaN(),
                          gradient.dtype(), gradient.device());
    }
    if (!effect.has_value()) return gradient;
    HookEffect on = *effect;
    on.dtype = gradient.dtype();
    on.device = gradient.device();
    return on(gradient);
  }
};

struct ProgramFunction : Function<ProgramFunction> {
  static constexpr const char* kName = "Program";

  static VariableList Forward(Context& context, const std::vector<Tensor>& operands,
                              const Behaviour& behaviour) {
    context.saved_data["behaviour"] = behaviour;
    VariableList results;
    VariableList saved;
    if (behaviour.keeps_undefined) context.SetMaterializeGrads(false);
    for (const Tensor& operand : operands) {
      results.push_back(behaviour.Forward(operand));
      if (behaviour.writes) {
        Tensor written = operand;
        ops::CopyInPlace(written, std::exchange(results.back(), operand));
        context.MarkDirty({operand});
      }
      const bool floating = IsFloating(operand.dtype());
      if (behaviour.action == "square") saved.push_back(floating ? operand : Tensor());
      if (behaviour.action == "exp") saved.push_back(floating ? results.back() : Tensor());
    }
    context.SaveForBackward(std::move(saved));
    VariableList marked;
    for (const int64_t k : behaviour.non_differentiable) marked.push_back(results[k]);
    context.MarkNonDifferentiable(std::move(marked));
    return results;
  }

  static VariableList Backward(Context& context, VariableList gradients) {
    const auto& behaviour = std::any_cast<const Behaviour&>(context.saved_data["behaviour"]);
    behaviour.see(gradients);
    VariableList saved = context.SavedTensors();
    saved.resize(gradients.size());
    for (size_t i = 0; i < gradients.size(); ++i) {
      gradients[i] = behaviour.Backward(gradients[i], saved[i]);
    }
    // One for the behaviour, which is no tensor.
    if (behaviour.action != "wrong_count") gradients.emplace_back();
    return gradients;
  }
};

}  // namespace

void Execution::Custom(const Statement& statement) {
  Behaviour behaviour;
  behaviour.action = statement.Get<std::string>(Key::kDo);
  if (const std::optional<HookAction> action = HookActionOf(behaviour.action)) {
    behaviour.effect = HookEffect{*action, statement.Get<double>(Key::kBy, 1.0), DType::kF64, {}};
  }
  behaviour.non_differentiable = statement.Get<std::vector<int64_t>>(Key::kNonDifferentiable);
  behaviour.keeps_undefined = statement.Get<bool>(Key::kKeepUndefined);
  behaviour.writes = statement.op == Opcode::kCustomInPlace;
  behaviour.see = [this, at = statement_, &statement,
                   object = sync::UserObject()](const VariableList& gradients) {
    sync::UserCode("the backward of a custom function");
    const Node& node = *CurrentNode();  // around the function's own, where that wrote a view
    for (const Tensor& gradient : gradients) recorder_.NoteHook(node, at, gradient);
    actor_.Act(node, statement, at);
  };
  std::vector<Tensor> operands;
  for (const ValueId id : statement.operands) {
    ops::CheckDefined("custom", values_[id]);
    operands.push_back(values_[id]);
  }
  VariableList results = ProgramFunction::Apply(operands, behaviour);
  for (size_t i = 0; i < statement.results.size(); ++i) Define(statement, i, std::move(results[i]));
  for (const ValueId id : statement.operands) NoteOperand(id);
}

}  // namespace twingrad::runner
