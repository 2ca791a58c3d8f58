// What comes before and after the forward of a custom function. See custom_function.h.

#include "autograd/graph/custom_function.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/graph/saved_tensor_hooks.h"
#include "autograd/graph/saved_variable.h"
#include "autograd/graph/variable.h"
#include "autograd/graph/view.h"

namespace twingrad {
namespace {

bool Holds(Span<const Tensor> tensors, const Tensor& tensor) {
  return std::any_of(tensors.begin(), tensors.end(),
                     [&](const Tensor& t) { return t.defined() && t.IsSameAs(tensor); });
}

Tensor ViewOfItself(const Tensor& tensor) {
  const GradModeGuard no_grad(false);
  return MakeView(tensor, tensor.sizes(), tensor.strides(), tensor.storage_offset(), nullptr);
}

}  // namespace

void ForwardCall::Take(const Tensor& tensor) {
  context_.edges_.push_back(static_cast<int32_t>(tensors_.size()));
  tensors_.push_back(tensor);
}

void ForwardCall::Begin() {
  records_ = GradMode::IsEnabled() && std::any_of(tensors_.begin(), tensors_.end(), RequiresGrad);
  for (const Tensor& tensor : tensors_) {
    context_.requires_grad_.push_back(records_ && RequiresGrad(tensor));
    versions_.push_back(tensor.defined() ? tensor.version() : 0);
    // Before the node is made, because a view that is out of date makes its own first; and before
    // Forward, which may write.
    edges_.push_back(records_ ? GradientEdge(tensor) : Edge());
  }
}

bool ForwardCall::IsArgument(const Tensor& tensor) const { return Holds(tensors_, tensor); }

bool ForwardCall::IsDirty(const Tensor& result) const {
  return result.defined() && Holds(context_.dirty_, result);
}

bool ForwardCall::IsDifferentiable(const Tensor& result) const {
  return records_ && result.defined() && IsFloating(result.dtype()) &&
         !Holds(context_.non_differentiable_, result);
}

bool ForwardCall::HasPlace(const Tensor& result) const {
  return IsArgument(result) || (IsLeaf(result) && RequiresGrad(result));
}

void ForwardCall::End(Span<Tensor> results) {
  CheckDirty(results);
  CheckGradDTypes(results);
  for (size_t i = 0; i < tensors_.size(); ++i) {
    // Forward may have written without an operation that says so.
    const bool written = tensors_[i].defined() && Holds(context_.dirty_, tensors_[i]);
    if (written && tensors_[i].version() == versions_[i]) tensors_[i].BumpVersion();
  }
  std::optional<std::vector<SavedVariable>> saved;
  if (records_) {
    if (PacksFirst()) saved = Pack(results);
    node_ = MakeNode<CustomNode>(*context_.traits_);
    node_->SetNextEdges(edges_);
  }
  for (Tensor& result : results) {
    const bool is_dirty = IsDirty(result);
    const bool is_differentiable = IsDifferentiable(result);
    if (node_ != nullptr) node_->is_differentiable_.push_back(is_differentiable);
    if (is_differentiable) {
      SetResult(result, is_dirty, results.size());
      if (context_.grad_dtypes_.has_value()) [[unlikely]] {
        const uint32_t number = node_->num_inputs() - 1;
        node_->SetInputGradDType(number, (*context_.grad_dtypes_)[number]);
      }
    } else {
      if (node_ != nullptr) node_->AddUnusedInput();
      if (result.defined()) Detach(result, is_dirty);
    }
  }
  const auto count = node_ == nullptr ? 0
                                      : std::count(node_->is_differentiable_.begin(),
                                                   node_->is_differentiable_.end(), true);
  for (const Tensor& result : results) {
    if (count < 2 || !result.defined() || !IsView(result)) continue;
    ViewInfo& view = *AutogradMeta::Find(result)->view;
    if (view.origin == ViewOrigin::kCustomFunction) view.origin = ViewOrigin::kMultiOutput;
  }
  if (node_ == nullptr) return;
  Keep(saved.has_value() ? *std::move(saved) : Pack(results));
  if (wrote_view_) return AnnounceWrite(results[0], *node_);  // it is the only result
  AnnounceNode(*node_);
}

void ForwardCall::CheckDirty(Span<const Tensor> results) const {
  for (const Tensor& dirty : context_.dirty_) {
    if (dirty.defined() && IsArgument(dirty) && Holds(results, dirty)) continue;
    const bool is_argument = dirty.defined() && IsArgument(dirty);
    throw Error(
        ErrorKind::kInvalidArgument,
        absl::StrCat("[custom] ", context_.name(), " marks a tensor as dirty that ",
                     is_argument ? "it does not return" : "is not among its arguments",
                     "; arguments that Forward wrote in place are dirty, and all of them must be "
                     "results; ",
                     is_argument ? "return it" : "mark the argument itself"));
  }
}

void ForwardCall::CheckGradDTypes(Span<const Tensor> results) const {
  if (!context_.grad_dtypes_.has_value()) return;
  if (context_.grad_dtypes_->size() != results.size()) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[custom] ", context_.name(), " sets ", context_.grad_dtypes_->size(),
                             " dtypes of gradients and returns ", results.size(),
                             " results; there must be one for each; use a result's own dtype where "
                             "nothing is to change"));
  }
  for (const Tensor& result : results) {
    if (!result.defined() || !IsView(result) || !Holds(context_.dirty_, result)) continue;
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[custom] ", context_.name(),
                             " sets the dtype of gradients of a view that it wrote; those are "
                             "parts of its base's gradients; clone() the view first"));
  }
}

void ForwardCall::Detach(Tensor& result, bool is_dirty) const {
  if (!RequiresGrad(result)) {
    if (IsArgument(result) && !is_dirty) result = ViewOfItself(result);
    return;
  }
  result = result.Detach();
}

void ForwardCall::Rebase(const Tensor& dirty, size_t results) {
  if (IsView(dirty) && results > 1) {
    throw Error(
        ErrorKind::kInvalidArgument,
        absl::StrCat("[custom] ", context_.name(), " wrote to a view and returned ", results,
                     " results; the history of a view goes on through one result "
                     "alone; return only it, or clone() the view first"));
  }
  CheckInPlace(dirty, /*would_record=*/true);
  const auto at = std::find_if(tensors_.begin(), tensors_.end(), [&](const Tensor& tensor) {
    return tensor.defined() && tensor.IsSameAs(dirty);
  });
  if (GradOf(dirty).defined()) SetGrad(dirty, Tensor());
  RebaseHistory(dirty, node_, static_cast<size_t>(at - tensors_.begin()));
  wrote_view_ = IsView(dirty);
}

void ForwardCall::SetResult(Tensor& result, bool is_dirty, size_t results) {
  if (is_dirty) return Rebase(result, results);
  // What has a place in a graph keeps it: an argument, or a variable from elsewhere.
  if (HasPlace(result)) result = ViewOfItself(result);
  if (IsView(result)) AutogradMeta::Find(result)->view->origin = ViewOrigin::kCustomFunction;
  SetHistory(result, node_, node_->num_inputs());
}

// Hooks that pack may throw: what Forward wrote then keeps its history. Other views of what was
// written get their nodes from the new one.
bool ForwardCall::PacksFirst() const {
  return !context_.dirty_.empty() && SavedTensorHooksInForce() != nullptr &&
         std::none_of(context_.to_save_.begin(), context_.to_save_.end(),
                      [&](const Tensor& t) { return t.defined() && IsView(t) && !IsDirty(t); });
}

std::vector<SavedVariable> ForwardCall::Pack(Span<const Tensor> results) const {
  std::vector<SavedVariable> saved;
  for (const Tensor& tensor : context_.to_save_) {
    const auto at = std::find_if(results.begin(), results.end(), [&](const Tensor& result) {
      return tensor.defined() && result.defined() && result.IsSameAs(tensor);
    });
    const bool is_output =
        at != results.end() && IsDifferentiable(*at) && (IsDirty(*at) || !HasPlace(*at));
    saved.emplace_back(tensor, is_output,
                       is_output ? static_cast<uint32_t>(at - results.begin()) : 0);
  }
  return saved;
}

void ForwardCall::Keep(std::vector<SavedVariable> saved) {
  context_.saved_ = std::move(saved);
  context_.to_save_.clear();
  context_.dirty_.clear();
  context_.non_differentiable_.clear();
  context_.node_ = node_.get();
  node_->context_ = std::move(context_);
}

}  // namespace twingrad
