// Which errors a call may end with: see Call.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "autograd/reference/call.h"
#include "autograd/reference/custom.h"

namespace twingrad::reference {

using program::NodeRole;

// Whether the node would throw if it ran, regardless of its gradient.
std::optional<ErrorKind> Call::Throws(NodeId id) const {
  const auto thrown = [&](const std::vector<int32_t>& hooks) -> std::optional<ErrorKind> {
    for (const int32_t index : hooks) {
      const Hook& hook = interpreter_.hook(index);
      if (hook.removed) continue;
      if (hook.action == HookAction::kThrow) return ErrorKind::kUser;
      if (hook.action == HookAction::kMisfit) return ErrorKind::kHook;
    }
    return std::nullopt;
  };
  const NodeHooks* hooks = interpreter_.hooks_of(id);
  if (hooks != nullptr) {
    if (auto error = thrown(hooks->tensor)) return error;
    if (!Executes(id)) return std::nullopt;
    if (auto error = thrown(hooks->pre)) return error;
  }
  if (!Executes(id)) return std::nullopt;
  try {
    CheckSaved(id);
  } catch (const Raised& raised) {
    return raised.error;
  }
  if (calculus_.nodes()[id].custom != nullptr) {
    if (auto error = CustomThrows(id)) return error;
  }
  if (hooks == nullptr) return std::nullopt;
  if (auto error = thrown(hooks->accumulate)) return error;
  auto error = thrown(hooks->post);
  const bool leaf = calculus_.nodes()[id].edges.empty();
  return leaf && error == ErrorKind::kHook ? std::nullopt : error;
}

// A nested call runs on one thread, whatever devices there are.
void Call::FindDevices() {
  const bool ordered =
      !interpreter_.any_order() && (predicted_ || interpreter_.rules().orders_backward_nodes);
  interpreter_.result().call_in_any_order[call_] = !ordered;
  several_devices_ = order_is_open_ = interpreter_.any_order();
  if (outer_ != nullptr) return;
  const std::vector<Node>& nodes = calculus_.nodes();
  std::optional<program::DeviceIndex> first;
  bool contested = false;
  for (NodeId n = 0; n <= start_; ++n) {
    const NodeRole role = nodes[n].name.role;
    if (!states_[n].expanded) continue;
    contested |= interpreter_.IsContested(n);
    // The caller enqueues several roots one by one, while the first may already be running.
    if (role == NodeRole::kGraphRoot && nodes[n].edges.size() < 2) continue;
    if (!first.has_value()) first = nodes[n].device;
    several_devices_ |= *first != nodes[n].device;
  }
  // Of nodes that create_graph made, the devices are the engine's.
  interpreter_.result().single_thread_only |=
      interpreter_.hooks_are_racy() &&
      (several_devices_ || (!predicted_ && interpreter_.HasDevices()));
  if (several_devices_) interpreter_.NoteSeveralDevices();
  order_is_open_ = several_devices_ || !predicted_ || contested;
}

// Whether hooks or custom functions of this call do what shows after it: hooks that are added or
// removed do where the Program goes on.
bool Call::ActsOnOthers() const {
  if (!interpreter_.has_acting_hooks()) return false;
  const auto acts = [this](const std::vector<int32_t>& hooks) {
    return std::any_of(hooks.begin(), hooks.end(), [this](int32_t index) {
      const Hook& hook = interpreter_.hook(index);
      return interpreter_.InTry() ? hook.Acts() : hook.action == HookAction::kBackward;
    });
  };
  for (NodeId n = 0; n < static_cast<NodeId>(states_.size()); ++n) {
    if (!states_[n].reachable) continue;
    const CustomRule* custom = calculus_.nodes()[n].custom;
    if (custom != nullptr && custom->acting.Acts()) return true;
    const NodeHooks* hooks = interpreter_.hooks_of(n);
    if (hooks != nullptr &&
        (acts(hooks->tensor) || acts(hooks->pre) || acts(hooks->post) || acts(hooks->accumulate))) {
      return true;
    }
  }
  return false;
}

// After an error that the Program survives, they are alternatives until `.grad` is used.
void Call::NoteOtherGrads() const {
  const bool survives = interpreter_.InTry() && !several_devices_;
  for (const auto& [value, grad] : other_grads_) {
    if (survives) {
      interpreter_.NoteOtherGrad(value, grad);
      continue;
    }
    GradAlternative other{value, grad.defined(), {}, {}};
    if (grad.defined()) {
      other.data = ContentsOf(*grad.data);
      other.bound = Interpreter::Bounds(*grad.data);
    }
    interpreter_.result().grad_alternatives.push_back(std::move(other));
  }
}

// Where the order is open, any node that can be the first to throw.
void Call::FindLegalErrors() {
  TwinResult& result = interpreter_.result();
  result.legal_errors = {{*error_, index_, ""}};
  if (!order_is_open_ || fails_beside_) return;
  result.ends_in_any_order |= !several_devices_;
  // What a hook does to others before the error, or after it, is not followed.
  result.single_thread_only |=
      several_devices_ && (interpreter_.InTry() || interpreter_.has_acting_hooks());
  if (!several_devices_ && !other_grads_.empty() && ActsOnOthers()) {
    throw Skipped{"what a failed call leaves depends on the order of nodes that create_graph made"};
  }
  const std::vector<Node>& nodes = calculus_.nodes();
  std::vector<bool> blocked(states_.size());
  for (NodeId n = start_; n >= 0; --n) {
    if (states_[n].dependencies == 0 && n != start_) continue;
    std::optional<ErrorKind> error;
    const bool ran_well = states_[n].executed && !states_[n].dead;
    if (!blocked[n] && Delivers(n) && !ran_well) {
      // What the walk could not reach may throw whatever its gradient is.
      error = states_[n].dead ? states_[n].error : Throws(n);
    }
    if (error.has_value()) {
      const bool known = std::any_of(result.legal_errors.begin(), result.legal_errors.end(),
                                     [&](const auto& legal) { return legal.error == *error; });
      if (!known) result.legal_errors.push_back({*error, index_, ""});
    }
    for (const NodeId next : nodes[n].edges) {
      const bool blocks = blocked[n] || error.has_value();
      if (next != kNoNode && blocks) blocked[calculus_.MainOf(next)] = true;
    }
  }
}

}  // namespace twingrad::reference
