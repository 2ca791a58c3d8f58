// What forward and backward of a custom function share. See function_context.h.

#include "autograd/graph/function_context.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"

namespace twingrad {

void FunctionContext::CheckPhase(bool in_forward, std::string_view what) const {
  if (in_forward == (node_ == nullptr)) return;
  throw Error(ErrorKind::kInvalidArgument,
              absl::StrCat("[custom] ", name(), " calls ", what, " in ",
                           in_forward ? "Backward; it belongs to Forward; call it there"
                                      : "Forward; it belongs to Backward; use the arguments"));
}

void FunctionContext::SaveForBackward(VariableList tensors) {
  CheckPhase(true, "SaveForBackward");
  to_save_ = std::move(tensors);
}

void FunctionContext::MarkDirty(VariableList tensors) {
  CheckPhase(true, "MarkDirty");
  dirty_ = std::move(tensors);
}

void FunctionContext::MarkNonDifferentiable(VariableList tensors) {
  CheckPhase(true, "MarkNonDifferentiable");
  non_differentiable_ = std::move(tensors);
}

void FunctionContext::SetMaterializeGrads(bool materialize) {
  CheckPhase(true, "SetMaterializeGrads");
  materialize_grads_ = materialize;
}

void FunctionContext::SetGradDTypes(std::vector<std::optional<DType>> dtypes) {
  CheckPhase(true, "SetGradDTypes");
  if (grad_dtypes_.has_value()) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[custom] ", name(),
                             " sets the dtypes of its results' gradients twice; they are set once, "
                             "for all results; give one list"));
  }
  for (const std::optional<DType>& dtype : dtypes) {
    if (!dtype.has_value() || IsFloating(*dtype)) continue;
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[custom] ", name(), " wants gradients of ", DTypeName(*dtype),
                             " for a result; gradients are floating; use a float or nullopt"));
  }
  grad_dtypes_ = std::move(dtypes);
}

VariableList FunctionContext::SavedTensors() {
  CheckPhase(false, "SavedTensors");
  if (cleared_) {
    throw Error(ErrorKind::kFreed,
                absl::StrCat("[custom] ", name(),
                             " reads its saved tensors a second time, but is declared with "
                             "kClearSavedOnAccess; they can be read once; keep the list"));
  }
  VariableList tensors;
  for (const SavedVariable& saved : saved_) tensors.push_back(saved.Unpack(node_));
  if (traits_->clears_saved) {
    cleared_ = true;
    saved_.clear();
  }
  return tensors;
}

bool FunctionContext::NeedsInputGrad(size_t i) const {
  if (i >= edges_.size()) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[custom] ", name(), " asks about argument ", i, ", but has ",
                             edges_.size(), "; arguments count from 0; leave the context out"));
  }
  if (edges_[i] == kNoEdge) return false;
  const auto edge = static_cast<size_t>(edges_[i]);
  return node_ == nullptr ? requires_grad_[edge] : node_->TaskShouldComputeOutput(edge);
}

}  // namespace twingrad
