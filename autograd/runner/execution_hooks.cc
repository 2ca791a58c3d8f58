// The hooks of a Program. See execution.h; what they do with gradients is in hook_effect.h, what
// else they do in hook_actor.h.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "autograd/base/error.h"
#include "autograd/graph/variable.h"
#include "autograd/ops/recording.h"
#include "autograd/runner/execution.h"
#include "autograd/runner/hook_effect.h"
#include "autograd/sync/user_code.h"

namespace twingrad::runner {

using program::Key;
using program::Opcode;
using program::Statement;

void Execution::AddHook(const Statement& statement) {
  const Tensor& value = values_[statement.operands[0]];
  const std::optional<HookAction> action = HookActionOf(statement.Get<std::string>(Key::kDo));
  ops::CheckDefined("hook", value);
  const HookEffect effect{action.value(), statement.Get<double>(Key::kBy, 1.0), value.dtype(),
                          value.device()};
  const HookHandle handle = statement.op == Opcode::kHook || statement.op == Opcode::kAccumulateHook
                                ? AddTensorHook(statement, effect)
                                : AddNodeHook(statement, effect);
  NoteOperand(statement.operands[0]);
  if (const auto* name = statement.Find(Key::kId)) {
    actor_.Note(std::get<std::string>(*name), handle);
  }
}

// hook, accumulate_hook.
HookHandle Execution::AddTensorHook(const Statement& statement, const HookEffect& effect) {
  const Tensor& value = values_[statement.operands[0]];
  const Node* node = RequiresGrad(value) ? GradientEdge(value).function.get() : nullptr;
  // Every other one keeps what it sees: the engine must add to a gradient that others hold in one
  // way, and to one of its own in another.
  const bool keeps = statement.op == Opcode::kHook && statement_ % 2 == 0;
  const auto run = [this, at = statement_, node, effect, keeps, &statement,
                    object = sync::UserObject()](const Tensor& gradient) {
    sync::UserCode("a hook");
    recorder_.NoteHook(*node, at, gradient, keeps);
    actor_.Act(*node, statement, at);
    return effect(gradient);
  };
  if (statement.op == Opcode::kHook) return RegisterHook(value, run);
  return RegisterPostAccumulateGradHook(value, [run](const Tensor& grad) { run(grad); });
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
  const auto note = [this, at = statement_, node, &statement,
                     object = sync::UserObject()](const VariableList& gradients) {
    sync::UserCode("a hook of a node");
    recorder_.NoteHook(*node, at, gradients[0]);
    actor_.Act(*node, statement, at);
  };
  const auto apply = [effect](VariableList gradients) {
    for (Tensor& gradient : gradients) gradient = effect(gradient);
    return gradients;
  };
  if (statement.op == Opcode::kPreHook) {
    return RegisterPreHook(*node, [note, apply](const VariableList& gradients) {
      note(gradients);
      return apply(gradients);
    });
  }
  return RegisterPostHook(
      *node, [note, apply, effect](VariableList results, const VariableList& gradients) {
        note(gradients);
        // Without results, too, a hook that throws throws.
        if (results.empty()) effect(Tensor());
        return apply(std::move(results));
      });
}

}  // namespace twingrad::runner
