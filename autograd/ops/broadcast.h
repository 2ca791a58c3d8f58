// Broadcasting and its inverse, differentiable. Gradients are reduced to the shape of a broadcast
// operand only here.
//
//   Tensor g = ops::SumTo(gradient, {3});        // sums the repeated dimensions away
//   Tensor e = ops::ExpandTo(g, {2, 3});         // repeats them, without a copy
//
// Each is the other's derivative.

#pragma once

#include <cstdint>
#include <memory>

#include "autograd/base/dtype.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// Sums `a` to `shape`, which must broadcast to a's shape; `a` itself where they are equal.
Tensor SumTo(const Tensor& a, Ints shape);
// Reads `a` with `shape`, to which its own must broadcast; `a` itself where they are equal. The
// result may show one element at many places: never write to it.
Tensor ExpandTo(const Tensor& a, Ints shape);

// The shape to which a gradient must be summed, kept only where operand and result differ in it.
class BroadcastUndo {
 public:
  BroadcastUndo() = default;
  BroadcastUndo(const Tensor& operand, const Tensor& result) {
    if (!operand.HasSameTypeAs(result) && operand.sizes() != result.sizes()) Remember(operand);
  }

  Tensor Undo(Tensor gradient) const {
    if (shape_ != nullptr) return SumTo(gradient, *shape_);
    return gradient;  // not a branch of ?:, which would copy it
  }

 private:
  void Remember(const Tensor& operand);

  std::unique_ptr<const Shape> shape_;
};

}  // namespace twingrad::ops
