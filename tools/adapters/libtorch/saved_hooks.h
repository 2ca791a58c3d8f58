// Regions of saved-tensor hooks on libtorch: what packs and unpacks a saved tensor. One thread.
//
// They log nothing: how often and in which order a node unpacks what is each engine's own choice.

#pragma once

#include <torch/csrc/autograd/saved_variable_hooks.h>

#include <memory>
#include <string>

namespace twingrad::libtorch {

struct SavedHooksAction {
  std::string action;  // do=
  double by = 1;
};

// For one saved tensor.
std::unique_ptr<torch::autograd::SavedVariableHooks> MakeSavedHooks(SavedHooksAction action);

}  // namespace twingrad::libtorch
