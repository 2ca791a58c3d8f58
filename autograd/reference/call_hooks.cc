// The hooks of a call: what they see, what they do to gradients, to other hooks, and the calls that
// they make.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/limits.h"
#include "autograd/reference/call.h"

namespace twingrad::reference {

using program::Key;
using program::Opcode;
using program::Statement;

void Call::RunTensorHooks(NodeId id, Variable& gradient) {
  NodeHooks* hooks = interpreter_.hooks_of(id);
  if (hooks != nullptr) RunHooks(id, hooks->tensor, gradient);
}

// Those that are there now: what a hook adds to the list runs from the next call on.
void Call::RunHooks(NodeId id, const std::vector<int32_t>& hooks, Variable& gradient) {
  const std::vector<int32_t> now = hooks;
  for (const int32_t hook : now) RunHook(id, hook, gradient);
}

bool Call::IsGone(int32_t index) const {
  SectionGroup* const group = interpreter_.group();
  const bool gone = interpreter_.hook(index).removed;
  if (group != nullptr && (!gone || group->IsRemovedBeside(index))) group->NoteFired(index);
  return gone;
}

void Call::RunHook(NodeId id, int32_t index, Variable& gradient) {
  const Hook& hook = interpreter_.hook(index);
  if (IsGone(index)) return;
  NoteHook(id, index, gradient);
  ActOnOthers(id, hook);
  Act(hook, &gradient);
}

void Call::NoteHook(NodeId id, int32_t index, const Variable& gradient) {
  NoteGradient(id, interpreter_.hook(index).statement, gradient);
}

void Call::NoteGradient(NodeId id, int32_t statement, const Variable& gradient) {
  if (error_.has_value()) return;
  TwinResult& result = interpreter_.result();
  program::HookRecord& record = result.observation.calls[call_].hooks.emplace_back();
  Judged& bounds = result.hook_bounds[call_].emplace_back();
  record.node = states_[id].record;
  record.statement = statement;
  record.gradient_defined = gradient.defined();
  if (!gradient.defined()) return;
  record.gradient = ContentsOf(*gradient.data);
  bounds = Interpreter::Bounds(*gradient.data);
}

Variable Call::Scaled(const Variable& gradient, double by) {
  const double factor = Rounded(by, FormatOf(gradient.data->dtype));
  const Variable scaled =
      calculus_.Apply(Primitive::kMultiply, gradient, calculus_.Constant(factor, gradient));
  if (scaled.tracked && !interpreter_.rules().factors_are_saved) {
    calculus_.nodes()[scaled.node].saves = false;
  }
  return scaled;
}

void Call::Act(const Hook& hook, Variable* gradient) {
  switch (hook.action) {
    case HookAction::kRecord:
    case HookAction::kRegister:
    case HookAction::kRemove:
    case HookAction::kBackward:
    case HookAction::kCallback:
    case HookAction::kWarn:
    case HookAction::kZeroGrad:
      return;
    case HookAction::kScale:
      if (gradient->defined()) *gradient = Scaled(*gradient, hook.by);
      return;
    case HookAction::kUndefined:
      *gradient = {};
      return;
    case HookAction::kThrow:
      throw Raised{ErrorKind::kUser};
    case HookAction::kMisfit:
      throw Raised{ErrorKind::kHook};
  }
}

// Once the call has failed, nothing more happens; what another timing would do is not followed.
void Call::ActOnOthers(NodeId id, const Hook& hook) {
  if (hook.Acts() && fails_beside_) {
    throw Skipped{"a call that another thread section makes fail runs hooks that act on others"};
  }
  if (hook.action == HookAction::kZeroGrad) return EmptyGrad(calculus_.nodes()[id].leaf);
  if (error_.has_value()) return;
  switch (hook.action) {
    case HookAction::kRegister:
      return interpreter_.RegisterRecording(hook.target, hook.statement);
    case HookAction::kRemove:
      return interpreter_.RemoveHook(hook.target_id);
    case HookAction::kBackward:
      RunNested(hook);
      return calculus_.EnterNode(id);
    case HookAction::kCallback:
      return callbacks_.push_back(hook.statement);
    case HookAction::kWarn:
      return NoteWarning(id, program::WarningSource::kHook, hook.statement);
    default:
      return;
  }
}

// At the end of the outermost call the thread that made it is given its warnings, in this order.
void Call::NoteWarning(NodeId id, program::WarningSource source, int32_t statement) {
  if (error_.has_value()) return;
  program::WarningRecord& record = interpreter_.result().observation.warnings.emplace_back();
  record.call = Outermost().index_;
  record.source = source;
  record.statement = statement;
  record.node = calculus_.nodes()[id].name;
}

// backward %target retain_graph=1, in the grad mode of this call.
void Call::RunNested(const Hook& hook) {
  int depth = 0;
  for (const Call* call = this; call->outer_ != nullptr; call = call->outer_) {
    if (call->index_ == hook.statement) return;
    ++depth;
  }
  if (depth == program::kMaxNestedCalls) return;
  if (interpreter_.tensor(hook.target).defined) interpreter_.CheckFresh(hook.target);
  Statement statement;
  statement.op = Opcode::kBackward;
  statement.operands = {hook.target};
  statement.attributes = {{Key::kRetainGraph, true}, {Key::kCreateGraph, create_graph_}};
  Call(interpreter_, statement, hook.statement, this).Run();
}

void Call::RunCallbacks() {
  TwinResult& result = interpreter_.result();
  for (const int32_t statement : callbacks_) {
    result.observation.calls[call_].hooks.push_back({-1, statement, false, {}});
    result.hook_bounds[call_].emplace_back();
  }
}

// Post-hooks see the incoming gradient and act on the outgoing ones.
void Call::RunPostHooks(NodeId id, const Variable& gradient, absl::Span<Variable> results) {
  NodeHooks* hooks = interpreter_.hooks_of(id);
  if (hooks == nullptr) return;
  const std::vector<int32_t> now = hooks->post;
  for (const int32_t index : now) {
    const Hook& hook = interpreter_.hook(index);
    if (IsGone(index)) continue;
    NoteHook(id, index, gradient);
    ActOnOthers(id, hook);
    if (results.empty() && hook.action == HookAction::kThrow) Act(hook, nullptr);
    for (Variable& result : results) Act(hook, &result);
  }
}

}  // namespace twingrad::reference
