// Statements `custom` and `custom_` on libtorch, as a function of its own C++ interface. One
// thread.

#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/adapters/libtorch/version.h"

namespace twingrad::libtorch {

// What the backward does; must outlive the backward runs.
struct CustomState {
  int32_t statement = -1;
  std::string action;  // do=
  double by = 1;
  std::vector<int64_t> non_differentiable;  // results, by number
  bool keeps_undefined = false;
  bool writes = false;  // its one operand
  // Called with the gradient of each result, in order.
  std::function<void(const CustomState& state, Node* node, const at::Tensor& gradient)> note;
  std::function<void()> act;  // then called: what it does beside its gradients
  // Filled by RunCustom.
  std::vector<bool> has_gradient;  // by result
  Node* node = nullptr;
};

std::vector<at::Tensor> RunCustom(CustomState& state, const std::vector<at::Tensor>& operands);

}  // namespace twingrad::libtorch
