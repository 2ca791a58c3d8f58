// Hooks of Programs on libtorch's tensors and nodes.
//
// They are hooks of libtorch's own kinds, so that its engine decides when each runs. What its
// Python front end checks of a hook's result, these check. One thread.

#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "autograd/program/program.h"
#include "tools/adapters/libtorch/version.h"

namespace twingrad::libtorch {

struct ProgramHook {
  int32_t statement = -1;
  std::string action;  // do=
  double by = 1;
  bool removed = false;
  // Called with what the hook sees, at which node; acts on others than the gradient.
  std::function<void(const ProgramHook& hook, Node* node, const at::Tensor& gradient)> note;
};

// Attaches the hook as the statement says and returns the node that must live as long as it: that
// of a leaf is nobody else's. Throws Refusal where Python's front end would refuse.
NodePtr Attach(const program::Statement& statement, const at::Tensor& value,
               std::shared_ptr<ProgramHook> hook);

// A hook on the gradient of the value alone.
NodePtr AttachToTensorOf(const at::Tensor& value, std::shared_ptr<ProgramHook> hook);

}  // namespace twingrad::libtorch
