#include "autograd/ops/layout_nodes.h"

#include "autograd/ops/broadcast.h"
#include "autograd/ops/layout.h"

namespace twingrad::ops {

Tensor ReshapeNode::Derivative(const Tensor& gradient) const { return ReshapeTo(gradient, sizes_); }

Tensor PermuteNode::Derivative(const Tensor& gradient) const {
  return PermuteTo(gradient, inverse_);
}

Tensor ExpandNode::Derivative(const Tensor& gradient) const { return SumTo(gradient, sizes_); }

Tensor PartNode::Derivative(const Tensor& gradient) const { return EmbedPart(gradient, place_); }

Tensor EmbedNode::Derivative(const Tensor& gradient) const { return TakePart(gradient, place_); }

}  // namespace twingrad::ops
