// What convolutions, pools and interpolations share: windows of the last dimensions, their plane.
//
//   Tensor columns = Unfolded(images, windows);    // [planes, entries, windows], with history
//
// Operands are [N, C, ..] or [C, ..]; only N may be 0. What does not fit is Error(kShape) naming
// `op`.

#pragma once

#include <cstddef>
#include <cstdint>

#include "autograd/tensor/kernels/windows.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

using kernels::Windows;

// By the number of dimensions.
struct WindowNames {
  const char* op;
  const char* node;
};

// kernels::Unfold and Fold, differentiable; each is the other's derivative.
Tensor Unfolded(const Tensor& a, const Windows& windows);
Tensor Folded(const Tensor& columns, const Windows& windows, const Shape& sizes);

// One number of at least `least` for each of `otherwise`, which an empty list stands for.
Shape StepsOf(const char* op, const char* what, Ints given, Ints otherwise, int64_t least);
// The same without a list that stands for others.
Shape CheckedSteps(const char* op, const char* what, Ints given, size_t dims, int64_t least);

// The last dimensions of an operand that has one or two more, of which only a first may be empty.
Ints PlaneOf(const char* op, const Tensor& a, size_t dims);

// A Line for each dimension of the boxes, which fit.
Windows BoxesOf(const char* op, Ints plane, Ints kernel, Ints stride, Ints padding, Ints dilation);

// The operand's shape with counts of windows in place of its plane.
Shape WindowedShape(const Tensor& a, const Windows& windows);

}  // namespace twingrad::ops
