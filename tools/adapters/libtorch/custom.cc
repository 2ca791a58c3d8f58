#include "tools/adapters/libtorch/custom.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <limits>
#include <stdexcept>
#include <utility>

namespace twingrad::libtorch {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

bool Saves(const CustomState& state) { return state.action == "square" || state.action == "exp"; }

Tensor Backward(const CustomState& state, const Tensor& gradient, const Tensor& saved) {
  if (!gradient.defined()) return gradient;
  if (state.action == "scale") return at::mul(gradient, state.by);
  if (state.action == "square") return at::mul(gradient, at::mul(saved, 2));
  if (state.action == "exp") return at::mul(gradient, saved);
  if (state.action == "undefined") return Tensor();
  if (state.action == "nan") {
    return at::full_like(gradient, std::numeric_limits<double>::quiet_NaN());
  }
  if (state.action == "wrong_shape") {
    const std::vector<int64_t> sizes(static_cast<size_t>(gradient.dim()) + 1, 2);
    return at::zeros(sizes, gradient.options());
  }
  if (state.action == "wrong_dtype") {
    return gradient.to(gradient.scalar_type() == at::kDouble ? at::kFloat : at::kDouble);
  }
  return gradient;
}

// The state is passed as a number, which is what a context can keep.
struct ProgramFunction : torch::autograd::Function<ProgramFunction> {
  static variable_list forward(AutogradContext* context, at::TensorList operands, int64_t address) {
    context->saved_data["state"] = address;
    CustomState& state = *reinterpret_cast<CustomState*>(address);
    variable_list results;
    variable_list saved;
    for (const Tensor& operand : operands) {
      const bool floating = at::isFloatingType(operand.scalar_type());
      state.has_gradient.push_back(floating);
      Tensor result;  // row-major, as all results of Programs
      if (floating && state.action == "square") {
        result = at::mul(operand, operand).contiguous();
      } else if (floating && state.action == "exp") {
        result = at::exp(operand).contiguous();
      } else {
        result = operand.clone(at::MemoryFormat::Contiguous);
      }
      if (state.writes) {
        Tensor written = operand;
        written.copy_(result);
        context->mark_dirty({written});
        result = written;
      }
      const bool saves = floating && Saves(state);
      saved.push_back(!saves ? Tensor() : state.action == "exp" ? result : operand);
      results.push_back(std::move(result));
    }
    if (Saves(state)) context->save_for_backward(saved);
    if (state.keeps_undefined) context->set_materialize_grads(false);
    variable_list marked;
    for (const int64_t k : state.non_differentiable) {
      marked.push_back(results[static_cast<size_t>(k)]);
      state.has_gradient[static_cast<size_t>(k)] = false;
    }
    if (!marked.empty()) context->mark_non_differentiable(marked);
    return results;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    CustomState& state = *reinterpret_cast<CustomState*>(context->saved_data["state"].toInt());
    for (size_t i = 0; i < gradients.size(); ++i) {
      // Some versions make zeros for results that have no gradient, too.
      if (!state.has_gradient[i]) gradients[i] = Tensor();
      state.note(state, state.node, gradients[i]);
    }
    state.act();
    // Asking a context that was released is an error, also where it has saved nothing.
    variable_list saved;
    if (Saves(state)) saved = context->get_saved_variables();
    saved.resize(gradients.size());
    if (state.action == "throw") {
      throw std::runtime_error("thrown by a custom function of the Program");
    }
    for (size_t i = 0; i < gradients.size(); ++i) {
      gradients[i] = Backward(state, gradients[i], saved[i]);
    }
    // One for the address.
    if (state.action != "wrong_count") gradients.emplace_back();
    return gradients;
  }
};

}  // namespace

std::vector<Tensor> RunCustom(CustomState& state, const std::vector<Tensor>& operands) {
  const at::TensorList list(operands);
  variable_list results = ProgramFunction::apply(list, reinterpret_cast<int64_t>(&state));
  for (const Tensor& result : results) {
    if (result.grad_fn()) state.node = result.grad_fn().get();
  }
  return results;
}

}  // namespace twingrad::libtorch
