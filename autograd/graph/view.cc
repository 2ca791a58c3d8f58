// Views, writes in place, and the graph after them. See view.h.

#include "autograd/graph/view.h"

#include <memory>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/inference_mode.h"
#include "autograd/graph/strided.h"
#include "autograd/graph/thread_state.h"

namespace twingrad {
namespace {

bool IsOfFunction(ViewOrigin origin) {
  return origin == ViewOrigin::kCustomFunction || origin == ViewOrigin::kMultiOutput;
}

[[noreturn]] void RefuseOfFunction(std::string_view what) {
  throw Error(ErrorKind::kInvalidArgument,
              absl::StrCat("[view] a view that a custom function returned, or an operand that it "
                           "returned as it is, ",
                           what,
                           "; its gradient would go past the function's own backward; clone() what "
                           "the function returned first"));
}

}  // namespace

Tensor MakeView(const Tensor& operand, absl::Span<const int64_t> sizes,
                absl::Span<const int64_t> strides, int64_t offset, NodePtr node) {
  Tensor view = operand.AsStrided(sizes, strides, offset);
  if (!IsFloating(view.dtype())) return view;
  if (view.impl()->is_inference()) {  // without a version there is nothing to make anew
    if (node != nullptr) SetHistory(view, std::move(node));
    return view;
  }
  AutogradMeta* from = AutogradMeta::Find(operand);
  const bool is_chained = from != nullptr && from->view != nullptr;
  auto info = std::make_unique<ViewInfo>();
  info->base = is_chained ? from->view->base : operand;
  if (is_chained) info->origin = from->view->origin;
  if (info->origin == ViewOrigin::kDefault && !GradMode::IsEnabled()) {
    info->origin = ViewOrigin::kNoGrad;
  }
  if (node != nullptr) node->AddInput(view);
  {
    sync::MutexLock lock(info->mutex);
    info->version = view.version();
    info->node = std::move(node);
  }
  AutogradMeta::Of(view).view = std::move(info);
  return view;
}

bool IsView(const Tensor& tensor) {
  AutogradMeta* meta = AutogradMeta::Find(tensor);
  return meta != nullptr && meta->view != nullptr;
}

Tensor ViewBase(const Tensor& tensor) {
  AutogradMeta* meta = AutogradMeta::Find(tensor);
  return meta != nullptr && meta->view != nullptr ? meta->view->base : tensor;
}

bool ViewRequiresGrad(const Tensor& view, AutogradMeta& meta) {
  ViewInfo& info = *meta.view;
  {
    sync::MutexLock lock(info.mutex);
    if (info.version == view.version()) return info.node != nullptr;
  }
  return RequiresGrad(info.base);
}

Edge ViewGradientEdge(const Tensor& view, AutogradMeta& meta) {
  ViewInfo& info = *meta.view;
  NodePtr replaced;  // destroyed after the lock is given up
  sync::MutexLock lock(info.mutex);
  if (info.version != view.version() && !RequiresGrad(info.base)) {
    // The base was detached in place: nothing leads from its new contents to the view's old node.
    replaced = std::move(info.node);
    info.version = view.version();
  } else if (info.version != view.version()) {
    if (IsOfFunction(info.origin)) RefuseOfFunction("is used after a write to its base");
    auto map = sync::MakeShared<const ViewMap>(info.base, view);
    NodePtr node = MakeRegeneratedView(view, std::move(map));
    node->AddNextEdge(GradientEdge(info.base));
    MoveRetained(meta, info.node.get(), *node);
    replaced = std::exchange(info.node, std::move(node));
    info.output_nr = 0;
    info.version = view.version();
  }
  return info.node == nullptr ? Edge() : Edge(info.node, info.output_nr);
}

void CheckInPlace(const Tensor& self, bool would_record) {
  if (HasInternalOverlap(self.sizes(), self.strides())) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[view] a write to ", ShapeToString(self.sizes()), " with strides ",
                             ShapeToString(self.strides()),
                             ", where several elements share one place; each must have its own; "
                             "clone() the tensor first"));
  }
  if (self.impl()->is_inference() && !InferenceMode::IsEnabled()) {
    throw Error(ErrorKind::kInvalidArgument,
                "[graph] an inference tensor is written outside inference mode; it may be written "
                "inside; clone it first");
  }
  if (!would_record) return;
  AutogradMeta* meta = AutogradMeta::Find(self);
  if (meta == nullptr) return;
  const bool is_view = meta->view != nullptr;
  if (is_view && IsOfFunction(meta->view->origin)) RefuseOfFunction("is written in grad mode");
  if (is_view && meta->view->origin == ViewOrigin::kNoGrad) {
    throw Error(ErrorKind::kInvalidArgument,
                "[view] a view that was made without grad mode is written in grad mode; views "
                "made in grad mode may be written; make the view in grad mode, or write without");
  }
  const Tensor base = ViewBase(self);
  if (IsLeaf(base) && RequiresGrad(base)) {
    throw Error(ErrorKind::kLeafInPlace,
                absl::StrCat("[graph] ", is_view ? "a view of a leaf" : "a leaf",
                             " that requires grad is written in place; leaves may be written in "
                             "no_grad; clone() it first"));
  }
}

void RebaseHistory(const Tensor& self, NodePtr node, size_t self_edge) {
  AutogradMeta& meta = AutogradMeta::Of(self);
  if (meta.view == nullptr) {
    const uint32_t output_nr = node->AddInput(self);
    ReplaceNode(self, std::move(node), output_nr);
    return;
  }
  ViewInfo& info = *meta.view;
  const Tensor base = info.base;
  auto map = sync::MakeShared<const ViewMap>(base, self);
  node->AddInput(self);
  NodePtr inner = node;
  auto copy_slices = MakeNode<CopySlices>(GradientEdge(base), map, std::move(node), self_edge);
  copy_slices->AddInput(base);
  // What the operation saved of its result is a view of the base as the write left it.
  Node* outer = copy_slices.get();
  inner->MakeExtras().result_edge = [outer, map, written = self.Detach()] {
    NodePtr view = MakeRegeneratedView(written, map);
    view->AddNextEdge(Edge(NodePtr(outer), 0));
    return Edge(std::move(view), 0);
  };
  ReplaceNode(base, std::move(copy_slices));
  sync::MutexLock lock(info.mutex);
  info.version = self.version() - 1;
}

}  // namespace twingrad
