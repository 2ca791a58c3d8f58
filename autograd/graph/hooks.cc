// Registering and running hooks, and checking what they return. See hooks.h.

#include "autograd/graph/hooks.h"

#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/base/inlined_vector.h"
#include "autograd/graph/variable.h"

namespace twingrad {
namespace {

std::string TypeToString(const Tensor& tensor) {
  if (!tensor.defined()) return "undefined";
  return absl::StrCat(DTypeName(tensor.dtype()), ShapeToString(tensor.sizes()), " on ",
                      tensor.device().ToString());
}

std::string NameOf(const char* kind, uint32_t number, const Node& node) {
  return absl::StrCat("[hook] ", kind, " ", number, " of ", node.name());
}

// Checks what one hook has done to the gradients that it was given: they are what they were, and
// what it returns fits in their place.
class HookCheck {
 public:
  HookCheck(const char* kind, uint32_t number, const Node& node)
      : kind_(kind), number_(number), node_(node) {}

  // Before the hook runs: gradients that it sees.
  void See(const VariableList& gradients) {
    for (const Tensor& gradient : gradients) See(gradient);
  }
  void See(const Tensor& gradient) {
    if (gradient.defined()) seen_.push_back({gradient, gradient.version()});
  }

  // After it: others may hold what it has seen, and the order in which they use it depends on
  // timing.
  void CheckUnwritten() const {
    for (const auto& [gradient, version] : seen_) {
      if (gradient.version() == version) continue;
      throw Error(ErrorKind::kHook,
                  absl::StrCat(NameOf(kind_, number_, node_), " wrote its gradient ",
                               TypeToString(gradient),
                               " in place; others may hold that; return another tensor"));
    }
  }

  // A hook may make a gradient undefined or give another of the same type.
  void CheckReplacement(const Tensor& before, const Tensor& after) const {
    if (!after.defined()) return;
    if (before.defined() && before.HasSameTypeAs(after)) return;
    throw Error(ErrorKind::kHook,
                absl::StrCat(NameOf(kind_, number_, node_), " returned ", TypeToString(after),
                             " for a gradient that is ", TypeToString(before),
                             "; it may return the same type or undefined; convert the result"));
  }
  void CheckReplacements(const VariableList& before, const VariableList& after) const {
    if (before.size() != after.size()) {
      throw Error(ErrorKind::kHook, absl::StrCat(NameOf(kind_, number_, node_), " returned ",
                                                 after.size(), " gradients for ", before.size(),
                                                 "; it must return as many as it gets"));
    }
    for (size_t i = 0; i < before.size(); ++i) CheckReplacement(before[i], after[i]);
  }

 private:
  const char* kind_;
  const uint32_t number_;
  const Node& node_;
  InlinedVector<std::pair<Tensor, uint32_t>, 2> seen_;
};

template <class Function>
void CheckCallable(const Function& hook) {
  if (hook) return;
  throw Error(
      ErrorKind::kInvalidArgument,
      "[hook] a hook is an empty function; it must be one that can be called; leave it out");
}

void CheckRequiresGrad(const Tensor& tensor, std::string_view what) {
  if (tensor.defined() && RequiresGrad(tensor)) return;
  throw Error(ErrorKind::kNoGraph,
              absl::StrCat("[hook] ", what, " on a tensor (", TypeToString(tensor),
                           ") that does not require grad; it is allowed on tensors that require "
                           "grad; set requires_grad or compute it from one that does"));
}

}  // namespace

void NodeExtras::Retain(uint32_t input_nr, sync::IntrusivePtr<GradSlot> slot) {
  sync::MutexLock lock(mutex_);
  retained_.Mutable().push_back({input_nr, std::move(slot)});
  retains_.Store(true, sync::kRelease);
}

void NodeExtras::StopRetaining(const GradSlot* slot) {
  sync::MutexLock lock(mutex_);
  std::erase_if(retained_.Mutable(), [slot](const Retained& r) { return r.slot.get() == slot; });
}

void NodeExtras::RunTensorHooks(const Node& node, VariableList& gradients) const {
  tensor_hooks.ForEach([&](const auto& hook) {
    Tensor& gradient = gradients[hook.input_nr];
    HookCheck check("tensor hook", hook.number, node);
    check.See(gradient);
    Tensor result = hook.function(gradient);
    check.CheckUnwritten();
    check.CheckReplacement(gradient, result);
    gradient = std::move(result);
  });
}

void NodeExtras::RunPreHooks(const Node& node, VariableList& gradients) const {
  pre_hooks.ForEach([&](const auto& hook) {
    HookCheck check("pre-hook", hook.number, node);
    check.See(gradients);
    VariableList results = hook.function(gradients);
    check.CheckUnwritten();
    check.CheckReplacements(gradients, results);
    gradients = std::move(results);
  });
}

void NodeExtras::StoreRetained(const VariableList& gradients) const {
  if (!retains_.Load(sync::kAcquire)) return;
  std::vector<Retained> retained;
  {
    sync::MutexLock lock(mutex_);
    retained = retained_.Read();
  }
  for (const Retained& r : retained) {
    if (gradients[r.input_nr].defined()) AnnounceNodeOf(r.slot->Retain(gradients[r.input_nr]));
  }
}

void NodeExtras::RunPostHooks(const Node& node, const HookList<NodePostHook>::Snapshot& hooks,
                              VariableList& results, const VariableList& gradients) {
  HookList<NodePostHook>::Run(hooks, [&](const auto& hook) {
    HookCheck check("post-hook", hook.number, node);
    check.See(results);
    check.See(gradients);
    VariableList replaced = hook.function(results, gradients);
    check.CheckUnwritten();
    check.CheckReplacements(results, replaced);
    results = std::move(replaced);
  });
}

HookHandle RegisterHook(const Tensor& tensor, TensorHook hook) {
  CheckCallable(hook);
  CheckRequiresGrad(tensor, "a hook");
  const Edge edge = GradientEdge(tensor);
  return edge.function->MakeExtras().tensor_hooks.Add(edge.input_nr, std::move(hook));
}

HookHandle RegisterPreHook(Node& node, NodePreHook hook) {
  CheckCallable(hook);
  return node.MakeExtras().pre_hooks.Add(0, std::move(hook));
}

HookHandle RegisterPostHook(Node& node, NodePostHook hook) {
  CheckCallable(hook);
  return node.MakeExtras().post_hooks.Add(0, std::move(hook));
}

HookHandle RegisterPostAccumulateGradHook(const Tensor& leaf, AccumulateHook hook) {
  CheckCallable(hook);
  if (!leaf.defined() || !IsLeaf(leaf)) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[hook] a post-accumulate hook on ", TypeToString(leaf),
                             ", which is no leaf; it is allowed on leaves; hook the leaf it is "
                             "computed from, or use RegisterHook"));
  }
  CheckRequiresGrad(leaf, "a post-accumulate hook");
  return GradientEdge(leaf).function->MakeExtras().accumulate_hooks.Add(0, std::move(hook));
}

void Remove(const HookHandle& handle) {
  if (sync::SharedPtr<HookState> state = handle.state.lock(); state != nullptr) {
    state->Remove();
  }
}

void RetainGrad(const Tensor& tensor) {
  CheckRequiresGrad(tensor, "retain_grad");
  if (IsLeaf(tensor)) return;
  AutogradMeta& meta = AutogradMeta::Of(tensor);
  const Edge edge = GradientEdge(tensor);
  if (meta.retains_grad) return;
  meta.retains_grad = true;
  edge.function->MakeExtras().Retain(edge.input_nr, meta.MakeLeafInfo().slot);
}

}  // namespace twingrad
