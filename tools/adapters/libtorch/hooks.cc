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

// Of a tensor, whose gradient is number `only` of its node's, or of a node: shown the first
// gradient, it acts on all.
struct PreHook : torch::autograd::FunctionPreHook {
  PreHook(Hook shown, Node* at, int32_t which = -1)
      : hook(std::move(shown)), node(at), only(which) {}
  variable_list operator()(const variable_list& gradients) override {
    variable_list changed = gradients;
    if (hook->removed || changed.empty()) return changed;
    const auto shown = static_cast<size_t>(only < 0 ? 0 : only);
    hook->note(*hook, node, changed[shown]);
    for (size_t i = 0; i < changed.size(); ++i) {
      if (only < 0 || i == shown) Act(*hook, changed[i]);
    }
    return changed;
  }
  Hook hook;
  Node* node;
  int32_t only;
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
    for (const Hook& hook : hooks) {
      if (hook->removed) continue;
      Tensor gradient = value.grad();
      hook->note(*hook, NodeOf(value).get(), gradient);
      Act(*hook, gradient);
    }
  }
  std::vector<Hook> hooks;
};

void AttachToTensor(const Tensor& value, Hook hook) {
  const NodePtr node = NodeOf(value);
  const auto number = value.grad_fn() ? static_cast<int32_t>(value.output_nr()) : 0;
  auto made = std::make_unique<PreHook>(std::move(hook), node.get(), number);
  if (value.grad_fn()) {
    node->add_tensor_pre_hook(std::move(made));
  } else {
    torch::autograd::impl::hooks(value).push_back(std::move(made));
  }
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

}  // namespace

NodePtr Attach(const program::Statement& statement, const Tensor& value, Hook hook) {
  if (!value.requires_grad()) {
    throw Refusal(ErrorKind::kNoGraph,
                  "cannot register a hook on a tensor that doesn't require gradient");
  }
  const NodePtr node = NodeOf(value);
  if (!node) {
    throw Refusal(ErrorKind::kNoGraph, "a hook on a view made in no_grad, which has no node");
  }
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
