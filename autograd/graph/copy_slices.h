// CopySlices: the node of a base after a write through one of its views.
//
// The part of the gradient that the view shows goes through the operation's own node; the rest of
// the gradient passes unchanged. Edge 0 leads to the base's old contents; the other edges are the
// operation's.

#pragma once

#include <string_view>
#include <utility>

#include "autograd/graph/node.h"
#include "autograd/graph/strided.h"

namespace twingrad {

class CopySlices final : public Node {
 public:
  // `function`: the operation's node, whose edge 0 is replaced by `base_edge`.
  CopySlices(Edge base_edge, ViewMapPtr map, NodePtr function);

  VariableList Apply(VariableList&& gradients) override;
  void ReleaseVariables() override { function_->ReleaseVariables(); }
  std::string_view name() const override { return "CopySlices"; }

 private:
  ViewMapPtr map_;
  NodePtr function_;
};

// The node that a view gets after its base was written: one edge, to the base.
class RegeneratedView final : public Node {
 public:
  explicit RegeneratedView(ViewMapPtr map) : map_(std::move(map)) {}
  VariableList Apply(VariableList&& gradients) override;
  std::string_view name() const override { return "RegeneratedView"; }

 private:
  ViewMapPtr map_;
};

}  // namespace twingrad
