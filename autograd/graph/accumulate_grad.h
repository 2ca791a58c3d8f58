// AccumulateGrad: the node of a leaf, which adds what arrives to the leaf's `.grad`.

#pragma once

#include <string_view>
#include <utility>

#include "autograd/graph/grad_slot.h"
#include "autograd/graph/node.h"

namespace twingrad {

class AccumulateGrad final : public Node {
 public:
  AccumulateGrad(const Tensor& leaf, sync::IntrusivePtr<GradSlot> slot)
      : Node(kAccumulateOrderKey), slot_(std::move(slot)) {
    AddInput(leaf);
  }
  // An undefined gradient changes nothing.
  VariableList Apply(VariableList&& gradients) override;
  std::string_view name() const override { return "AccumulateGrad"; }

 private:
  sync::IntrusivePtr<GradSlot> slot_;
};

}  // namespace twingrad
