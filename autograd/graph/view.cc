// Views, writes in place, and the graph after them. See view.h.

#include "autograd/graph/view.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/check.h"
#include "autograd/base/error.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/inference_mode.h"
#include "autograd/graph/strided.h"
#include "autograd/graph/thread_state.h"

namespace twingrad {
Tensor MakeView(const Tensor& operand, Span<const int64_t> sizes, Span<const int64_t> strides,
                int64_t offset, NodePtr node) {
  Tensor view = operand.AsStrided(sizes, strides, offset);
  if (!IsFloating(view.dtype())) return view;
  if (view.impl()->is_inference()) {  // without a version there is nothing to make anew
    if (node != nullptr) RecordNode(std::move(node), view);
    return view;
  }
  AutogradMeta* from = AutogradMeta::Find(operand);
  const bool is_chained = from != nullptr && from->view != nullptr;
  auto info = std::make_unique<ViewInfo>();
  info->base = is_chained ? from->view->base : operand;
  if (is_chained) info->origin = from->view->origin;
  if (info->origin == ViewOrigin::kDefault && !GradMode::IsEnabled()) {
    info->origin = InferenceMode::IsEnabled() ? ViewOrigin::kInferenceMode : ViewOrigin::kNoGrad;
  }
  if (node != nullptr) node->AddInput(view);
  Node* const made = node.get();
  {
    sync::MutexLock lock(info->mutex);
    info->version.Write(view.version());
    info->node.Write(std::move(node));
  }
  AutogradMeta::Of(view).view = std::move(info);
  if (made != nullptr) AnnounceNode(*made);
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

void SetViewOrigin(const Tensor& view, ViewOrigin origin) {
  AG_CHECK(IsView(view), "[view] the origin of a tensor that is no view is set");
  AutogradMeta::Find(view)->view->origin = origin;
}

namespace {

// Whether a view takes part in its base's history through a node that it does not have yet: its
// base was written since, or was told to require grad after a view of it was made in grad mode.
bool AwaitsNode(const Tensor& view, const ViewInfo& info) AG_REQUIRES(info.mutex) {
  if (!info.base.HasSameStorage(view)) return false;  // the base's data was exchanged (leaf.h)
  if (info.version.Read() != view.version()) return true;
  return info.node.Read() == nullptr && info.origin == ViewOrigin::kDefault;
}

}  // namespace

bool ViewRequiresGrad(const Tensor& view, AutogradMeta& meta) {
  ViewInfo& info = *meta.view;
  {
    sync::MutexLock lock(info.mutex);
    if (!AwaitsNode(view, info)) return info.node.Read() != nullptr;
  }
  return RequiresGrad(info.base);
}

namespace {

// The view's edge; `made`: the node that it got just now, to be announced without the lock.
Edge RenewedViewEdge(const Tensor& view, AutogradMeta& meta, NodePtr& made) {
  ViewInfo& info = *meta.view;
  NodePtr replaced;  // destroyed after the lock is given up
  sync::MutexLock lock(info.mutex);
  const bool awaits = AwaitsNode(view, info);
  if (awaits && !RequiresGrad(info.base)) {
    // The base was detached in place: nothing leads from its new contents to the view's old node.
    replaced = std::move(info.node.Mutable());
    info.version.Write(view.version());
  } else if (awaits) {
    if (!IsRenewable(info.origin)) RefuseRenewal(info.origin);
    auto map = sync::MakeShared<const ViewMap>(info.base, view);
    NodePtr node = MakeRegeneratedView(view, std::move(map));
    node->AddNextEdge(GradientEdge(info.base));
    MoveRetained(meta, info.node.Read().get(), *node);
    made = node;
    replaced = std::exchange(info.node.Mutable(), std::move(node));
    info.output_nr.Write(0);
    info.version.Write(view.version());
  }
  const NodePtr& node = info.node.Read();
  return node == nullptr ? Edge() : Edge(node, info.output_nr.Read());
}

}  // namespace

Edge ViewGradientEdge(const Tensor& view, AutogradMeta& meta) {
  if (CurrentThread().modes.node_creation != nullptr && ViewRequiresGrad(view, meta)) [[unlikely]] {
    GradientEdge(meta.view->base);  // announces its accumulator, where it has one, without the lock
  }
  NodePtr made;
  Edge edge = RenewedViewEdge(view, meta, made);
  if (made != nullptr) AnnounceNode(*made);
  return edge;
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
  AutogradMeta* meta = AutogradMeta::Find(self);
  if (meta == nullptr) return;
  const bool is_view = meta->view != nullptr;
  // A view that does not require grad may show memory of a base that does: the write would change
  // what the base holds, and its history would not know.
  if (!would_record && !(is_view && GradMode::IsEnabled() && RequiresGrad(meta->view->base))) {
    return;
  }
  if (is_view && meta->view->origin != ViewOrigin::kDefault) RefuseWrite(meta->view->origin);
  if (is_view && !meta->view->base.HasSameStorage(self)) {
    throw Error(ErrorKind::kInvalidArgument,
                "[view] a view is written whose base has got other data since, so that the write "
                "would not reach it; views of a tensor's present data may be written; make the "
                "view anew");
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
    AnnounceNode(*view);
    return Edge(std::move(view), 0);
  };
  ReplaceNode(base, std::move(copy_slices));
  sync::MutexLock lock(info.mutex);
  info.version.Write(self.version() - 1);
}

void AnnounceWrite(const Tensor& self, Node& node) {
  AnnounceNode(node);
  if (IsView(self)) AnnounceNodeOf(ViewBase(self));
}

}  // namespace twingrad
