// Nodes that the graph itself needs, and the two differentiable operations that the engine makes
// some of them with.

#pragma once

#include <string_view>
#include <utility>

#include "autograd/base/span.h"
#include "autograd/graph/grad_layout.h"
#include "autograd/graph/grad_slot.h"
#include "autograd/graph/node.h"

namespace twingrad {

// The node of a leaf: adds what arrives to the leaf's `.grad`, then runs the leaf's hooks.
class AccumulateGrad final : public Node {
 public:
  AccumulateGrad(const Tensor& leaf, sync::IntrusivePtr<GradSlot> slot)
      : Node(kAccumulateOrderKey), slot_(std::move(slot)) {
    AddInput(leaf);
  }
  // An undefined gradient changes nothing.
  VariableList Apply(VariableList&& gradients) override;
  std::string_view name() const override { return "AccumulateGrad"; }
  // Its leaf's.
  const GradSlot* slot() const { return slot_.get(); }

 private:
  sync::IntrusivePtr<GradSlot> slot_;
};

// Has the roots of a call as its edges and their seeds as its result.
class GraphRoot final : public Node {
 public:
  GraphRoot(Span<const Edge> roots, VariableList seeds);
  VariableList Apply(VariableList&& gradients) override;
  std::string_view name() const override { return "GraphRoot"; }

 private:
  VariableList seeds_;
};

// Passes gradients on as they are. Also stands for an input that no root reaches.
class Identity final : public Node {
 public:
  VariableList Apply(VariableList&& gradients) override { return std::move(gradients); }
  std::string_view name() const override { return "Identity"; }
};

// The node of GradientAdd: passes the gradient to both operands.
class GradientAddNode final : public Node {
 public:
  VariableList Apply(VariableList&& gradients) override;
  std::string_view name() const override { return "GradientAdd"; }
};

// Whether nobody but the holder of the tensor can see or change its memory, so that it may be taken
// over.
bool IsHeldAlone(const Tensor& tensor);
// Whether it may be written as well: it is row-major, so its elements do not overlap.
inline bool IsPrivate(const Tensor& tensor) {
  return tensor.IsUniquelyOwned() && tensor.OwnsStorageAlone() && tensor.IsContiguous() &&
         tensor.impl()->meta() == nullptr;
}

// a + b, with history in grad mode: the sum of two gradients of one type, sparse if both are. Its
// node is not announced (AnnounceNodeOf does that), because `.grad` is changed under a lock.
Tensor GradientAdd(const Tensor& a, const Tensor& b, const GradLayout& layout = GradLayout());
// A copy of `a` with memory of its own, with history in grad mode. Its node is not announced.
Tensor GradientClone(const Tensor& a, const GradLayout& layout = GradLayout());

}  // namespace twingrad
