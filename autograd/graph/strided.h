// The part of a base that a view shows, for gradients: both are fresh contiguous tensors there; and
// the nodes of writes through views.
//
//   ViewMap map(base, view);
//   Tensor part = Gather(g, map);       // gradient of the base -> elements the view shows
//   Tensor whole = Scatter(part, map);  // its adjoint: zeros, plus each element at its place
//   Tensor mixed = Replace(g, part, map);
//
// All three record in grad mode, so derivatives of any order work. Floating types.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "autograd/base/dtype.h"
#include "autograd/graph/node.h"
#include "autograd/sync/shared.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

// For each element of the view in row-major order, the row-major index in the base. Immutable;
// shared.
class ViewMap {
 public:
  ViewMap(const Tensor& base, const Tensor& view);

  const Shape& base_sizes() const { return base_sizes_; }
  const Shape& view_sizes() const { return view_sizes_; }
  const std::vector<int64_t>& index() const { return index_; }

 private:
  Shape base_sizes_;
  Shape view_sizes_;
  std::vector<int64_t> index_;
};
using ViewMapPtr = sync::SharedPtr<const ViewMap>;

Tensor Gather(const Tensor& whole, const ViewMapPtr& map);
Tensor Scatter(const Tensor& part, const ViewMapPtr& map);
// `whole` with the view's elements set to those of `part`; to zero if `part` is undefined.
Tensor Replace(const Tensor& whole, const Tensor& part, const ViewMapPtr& map);

// The node that a view gets after its base was written: one edge, to the base, which is the
// caller's to add.
NodePtr MakeRegeneratedView(const Tensor& view, ViewMapPtr map);

// The node of a base after a write through one of its views. The part of the gradient that the view
// shows goes through the operation's own node; the rest of the gradient passes unchanged. One edge
// leads to the base's old contents; the other edges are the operation's.
class CopySlices final : public Node {
 public:
  // `function`: the operation's node, whose edge `self_edge` is replaced by `base_edge`.
  CopySlices(Edge base_edge, ViewMapPtr map, NodePtr function, size_t self_edge = 0);

  VariableList Apply(VariableList&& gradients) override;
  void ReleaseVariables() override { function_->ReleaseVariables(); }
  void WillReleaseVariables() override { function_->WillReleaseVariables(); }
  std::vector<SavedVariable*> SavedVariables() override { return function_->SavedVariables(); }
  std::string_view name() const override { return "CopySlices"; }

 private:
  void CheckInner(const VariableList& inner, const Tensor& gradient) const;

  ViewMapPtr map_;
  NodePtr function_;
  const size_t self_edge_;
};

}  // namespace twingrad
