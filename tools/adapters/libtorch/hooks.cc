#include "tools/adapters/libtorch/hooks.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "tools/adapters/libtorch/failures.h"

namespace twingrad::libtorch {
namespace {

using at::Tensor;
using program::Opcode;
using torch::autograd::variable_list;
using Hook = std::shared_ptr<ProgramHook>;

void Act(const ProgramHook& hook, Tensor& gradient) {
  if (hook.action == "throw") throw std::runtime_error("thrown by a hook of the Program");
  if (hook.action == "wrong_shape") throw std::runtime_error("hook has changed the size of value");
  if (hook.action == "wrong_dtype") throw std::runtime_error("hook has changed the type of value");
  if (hook.action == "undefined") gradient = Tensor();
  if (hook.action != "scale" || !gradient.defined()) return;
  const Tensor scaled = at::mul(gradient, hook.by);
  if (scaled.scalar_type() != gradient.scalar_type()) {
    throw std::runtime_error("hook has changed the type of value");
  }
  gradient = scaled;
}

// Of a node: shown the first gradient, it acts on all.
struct PreHook : torch::autograd::FunctionPreHook {
  PreHook(Hook shown, Node* at) : hook(std::move(shown)), node(at) {}
  variable_list operator()(const variable_list& gradients) override {
    variable_list changed = gradients;
    if (hook->removed || changed.empty()) return changed;
    hook->note(*hook, node, changed[0]);
    for (Tensor& gradient : changed) Act(*hook, gradient);
    return changed;
  }
  Hook hook;
  Node* node;
};

struct PostHook : torch::autograd::FunctionPostHook {
  PostHook(Hook shown, Node* at) : hook(std::move(shown)), node(at) {}
  variable_list operator()(const variable_list& results, const variable_list& gradients) override {
    variable_list changed = results;
    if (hook->removed) return changed;
    hook->note(*hook, node, gradients.empty() ? Tensor() : gradients[0]);
    if (changed.empty() && hook->action == "throw") {
      Tensor none;
      Act(*hook, none);
    }
    for (Tensor& result : changed) Act(*hook, result);
    return changed;
  }
  Hook hook;
  Node* node;
};

NodePtr NodeOf(const Tensor& value) {
  const NodePtr& made = value.grad_fn();
  return made ? made : torch::autograd::impl::grad_accumulator(value);
}

#if TORCH_VERSION_MAJOR >= 2
struct AccumulateHooks : torch::autograd::PostAccumulateGradHook {
  void operator()(const Tensor& value) override {
    const auto as_they_stand = hooks;
    for (const Hook& hook : as_they_stand) {
      if (hook->removed) continue;
      Tensor gradient = value.grad();
      hook->note(*hook, NodeOf(value).get(), gradient);
      Act(*hook, gradient);
    }
  }
  std::vector<Hook> hooks;
};

// Those of a node's tensors, or of a leaf. One object for all, so that a hook may add others while
// the engine walks the node's list.
struct TensorHooks : torch::autograd::FunctionPreHook {
  variable_list operator()(const variable_list& gradients) override {
    variable_list changed = gradients;
    const auto as_it_stands = hooks;
    for (const auto& [hook, node, number] : as_it_stands) {
      if (hook->removed) continue;
      Tensor& gradient = changed[number];
      hook->note(*hook, node, gradient);
      Act(*hook, gradient);
    }
    return changed;
  }
  struct Entry {
    Hook hook;
    Node* node;
    size_t number;  // of the tensor among the node's results
  };
  std::vector<Entry> hooks;
};

void AttachToTensor(const Tensor& value, Hook hook) {
  const NodePtr node = NodeOf(value);
  const bool is_leaf = !value.grad_fn();
  const size_t number = is_leaf ? 0 : value.output_nr();
  auto& all = is_leaf ? torch::autograd::impl::hooks(value) : node->tensor_pre_hooks();
  TensorHooks* own = nullptr;
  for (const auto& each : all) {
    if (own == nullptr) own = dynamic_cast<TensorHooks*>(each.get());
  }
  if (own == nullptr) {
    auto made = std::make_unique<TensorHooks>();
    own = made.get();
    if (is_leaf) {
      all.push_back(std::move(made));
    } else {
      node->add_tensor_pre_hook(std::move(made));
    }
  }
  own->hooks.push_back({std::move(hook), node.get(), number});
}

void AttachToAccumulation(const Tensor& value, Hook hook) {
  if (value.grad_fn()) {
    throw Refusal(ErrorKind::kInvalidArgument,
                  "post accumulate grad hooks cannot be registered on non-leaf tensors");
  }
  auto& slot = torch::autograd::impl::post_acc_grad_hooks(value);
  if (slot == nullptr) {
    torch::autograd::impl::set_post_acc_grad_hooks(value, std::make_unique<AccumulateHooks>());
  }
  auto& all = torch::autograd::impl::post_acc_grad_hooks(value);
  static_cast<AccumulateHooks&>(*all).hooks.push_back(std::move(hook));
}
#else
void AttachToTensor(const Tensor&, const Hook&) {
  throw Refusal(ErrorKind::kUnsupported, "hooks of a version before 2.0");
}
void AttachToAccumulation(const Tensor&, const Hook&) {
  throw Refusal(ErrorKind::kUnsupported, "hooks of a version before 2.0");
}
#endif

// The node that a hook on the value is for.
NodePtr HookableNodeOf(const Tensor& value) {
  if (!value.requires_grad()) {
    throw Refusal(ErrorKind::kNoGraph,
                  "cannot register a hook on a tensor that doesn't require gradient");
  }
  NodePtr node = NodeOf(value);
  if (!node) {
    throw Refusal(ErrorKind::kNoGraph, "a hook on a view made in no_grad, which has no node");
  }
  return node;
}

}  // namespace

NodePtr AttachToTensorOf(const Tensor& value, Hook hook) {
  NodePtr node = HookableNodeOf(value);
  AttachToTensor(value, std::move(hook));
  return node;
}

NodePtr Attach(const program::Statement& statement, const Tensor& value, Hook hook) {
  NodePtr node = HookableNodeOf(value);
  switch (statement.op) {
    case Opcode::kHook:
      AttachToTensor(value, std::move(hook));
      break;
    case Opcode::kPreHook:
      node->add_pre_hook(std::make_unique<PreHook>(std::move(hook), node.get()));
      break;
    case Opcode::kPostHook:
      node->add_post_hook(std::make_unique<PostHook>(std::move(hook), node.get()));
      break;
    default:
      AttachToAccumulation(value, std::move(hook));
  }
  return node;
}

}  // namespace twingrad::libtorch
