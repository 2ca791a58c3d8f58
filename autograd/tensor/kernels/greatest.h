// The greatest entries of windows (windows.h), as max pools take them.
//
//   const auto [values, index] = kernels::Greatest(images, windows);
//
// Results are fresh and contiguous. f32 and f64; f16 and bf16 are compared as f32. No history; any
// thread.

#pragma once

#include "autograd/tensor/kernels/window_line.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::kernels {

// Of each window the first greatest entry or the first NaN, and where in its plane it is: both
// [planes, windows]. Each window has an entry inside.
struct GreatestEntries {
  Tensor values;
  Tensor index;  // i64
};
GreatestEntries Greatest(const Tensor& a, const Windows& windows);
// The adjoint of taking those, [planes, plane]: each place gets the terms, [planes, windows], of
// the windows whose index names it. Undefined where there is no kernel for it: on the host, and of
// windows that are no boxes. What an index names that is no entry of its window gets nothing.
Tensor GivenToGreatest(const Tensor& index, const Tensor& terms, const Windows& windows);

}  // namespace twingrad::kernels
