// Statements about hooks, and what hooks do to one another.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/program/racy.h"
#include "autograd/reference/interpreter.h"

namespace twingrad::reference {

using program::Key;
using program::Opcode;
using program::Statement;
using program::ValueId;

namespace {

constexpr std::array<std::pair<std::string_view, HookAction>, 12> kActions = {{
    {"record", HookAction::kRecord},
    {"scale", HookAction::kScale},
    {"undefined", HookAction::kUndefined},
    {"throw", HookAction::kThrow},
    {"wrong_shape", HookAction::kMisfit},
    {"wrong_dtype", HookAction::kMisfit},
    {"register", HookAction::kRegister},
    {"remove", HookAction::kRemove},
    {"backward", HookAction::kBackward},
    {"callback", HookAction::kCallback},
    {"warn", HookAction::kWarn},
    {"zero_grad", HookAction::kZeroGrad},
}};

HookAction ActionOf(std::string_view word) {
  const auto* row = std::find_if(kActions.begin(), kActions.end(),
                                 [word](const auto& action) { return action.first == word; });
  if (row == kActions.end()) throw Skipped{"a hook with do=" + std::string(word)};
  return row->second;
}

Hook HookOf(const Statement& statement, int32_t at) {
  Hook hook{at, ActionOf(std::get<std::string>(*statement.Find(Key::kDo))),
            statement.Get<double>(Key::kBy, 1.0)};
  if (const auto* target = statement.Find(Key::kTarget)) {
    if (const auto* id = std::get_if<std::string>(target)) {
      hook.target_id = *id;
    } else {
      hook.target = std::get<std::vector<ValueId>>(*target)[0];
    }
  }
  return hook;
}

}  // namespace

void Interpreter::AddHook(const Statement& statement) {
  const ValueId value = statement.operands[0];
  Hook hook = HookOf(statement, statement_);
  Tensor& tensor = Defined(value);
  if (GradientEdge(value) == kNoNode) throw Raised{ErrorKind::kNoGraph};
  if (statement.op == Opcode::kAccumulateHook && GradientEdge(value) != tensor.accumulator) {
    throw Raised{ErrorKind::kInvalidArgument};
  }
  // Hooks on a tensor belong to one result of its node, others to the node.
  const NodeId edge = GradientEdge(value);
  const auto index = static_cast<int32_t>(hooks_.size());
  if (group() != nullptr) group()->NoteHooked(calculus_.MainOf(edge), index);
  NodeHooks& hooks = MakeHooks(statement.op == Opcode::kHook ? edge : calculus_.MainOf(edge));
  hook.node = calculus_.MainOf(edge);
  hooks_.push_back(std::make_unique<Hook>(hook));
  if (hook.Acts()) NoteActing();
  (statement.op == Opcode::kHook       ? hooks.tensor
   : statement.op == Opcode::kPreHook  ? hooks.pre
   : statement.op == Opcode::kPostHook ? hooks.post
                                       : hooks.accumulate)
      .push_back(index);
  if (const auto* id = statement.Find(Key::kId)) {
    handles_.emplace_back(std::get<std::string>(*id), index);
  }
}

void Interpreter::NoteActing() {
  if (!has_acting_hooks_) racy_ = program::IsRacy(program_);
  has_acting_hooks_ = true;
}

void Interpreter::RegisterRecording(ValueId target, int32_t statement) {
  CheckFresh(target);
  const NodeId node = GradientEdge(target);
  if (node == kNoNode) throw Raised{ErrorKind::kNoGraph};
  const auto index = static_cast<int32_t>(hooks_.size());
  if (group() != nullptr) group()->NoteHooked(calculus_.MainOf(node), index);
  MakeHooks(node).tensor.push_back(index);
  hooks_.push_back(std::make_unique<Hook>(Hook{statement}));
}

void Interpreter::RemoveHook(std::string_view id) {
  for (const auto& [name, index] : handles_) {
    if (name != id) continue;
    if (group() != nullptr && (!hooks_[index]->removed || group()->IsRemovedBeside(index))) {
      group()->NoteRemoved(index);
    }
    hooks_[index]->removed = true;
  }
}

void Interpreter::CheckFresh(ValueId target) {
  const Tensor& tensor = Defined(target);
  if (tensor.is_view() && tensor.view_version != storages_[tensor.storage].version) {
    throw Skipped{"a hook acts on a view whose base was written since"};
  }
}

}  // namespace twingrad::reference
