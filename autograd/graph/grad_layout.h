// The layout of `.grad`: the strides of its leaf where those are non-overlapping and dense, so that
// an optimizer walks both alike; else row-major.
//
//   GradLayout layout(leaf);
//   if (!layout.Fits(gradient)) gradient = layout.Clone(gradient);
//
// Sizes of 1 are not looked at: their stride moves nothing. Values; any thread.

#pragma once

#include "autograd/base/dtype.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

// Whether the elements fill one block of memory, each at a place of its own, in any order.
bool IsNonOverlappingAndDense(Ints sizes, Ints strides);

class GradLayout {
 public:
  // Row-major.
  GradLayout() = default;
  // That of the gradients of `leaf`.
  explicit GradLayout(const Tensor& leaf);

  // Whether `gradient`, which has the leaf's shape, lies in memory as `.grad` is to. Sparse ones
  // do.
  bool Fits(const Tensor& gradient) const;
  // A copy with memory of its own, and a + b there, both without history. A sparse gradient stays
  // so, and the sum of two is sparse; with a dense one it is dense.
  Tensor Clone(const Tensor& gradient) const;
  Tensor Add(const Tensor& a, const Tensor& b) const;

 private:
  Tensor Like(const Tensor& gradient) const;

  bool is_row_major_ = true;
  Shape strides_;  // where it is not row-major
};

}  // namespace twingrad
