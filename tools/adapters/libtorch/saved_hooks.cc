#include "tools/adapters/libtorch/saved_hooks.h"

#include <ATen/ATen.h>

#include <stdexcept>
#include <utility>

namespace twingrad::libtorch {
namespace {

using at::Tensor;

struct ProgramSavedHooks : torch::autograd::SavedVariableHooks {
  explicit ProgramSavedHooks(SavedHooksAction what) : action(std::move(what)) {}

  // A copy, so that later writes do not show.
  void call_pack_hook(const Tensor& tensor) override {
    if (action.action == "throw") {
      throw std::runtime_error("thrown by a pack hook of the Program");
    }
    packed = tensor.is_sparse() ? tensor.detach().clone()
                                : tensor.detach().clone(at::MemoryFormat::Contiguous);
  }

  Tensor call_unpack_hook() override {
    if (action.action != "scale" || !at::isFloatingType(packed.scalar_type())) return packed;
    return at::mul(packed, action.by);
  }

  SavedHooksAction action;
  Tensor packed;
};

}  // namespace

std::unique_ptr<torch::autograd::SavedVariableHooks> MakeSavedHooks(SavedHooksAction action) {
  return std::make_unique<ProgramSavedHooks>(std::move(action));
}

}  // namespace twingrad::libtorch
