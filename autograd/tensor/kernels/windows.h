// Windows: boxes of entries that move over the last dimensions of a tensor, its plane.
//
//   Window w = {.kernel = {3, 3}, .stride = {1, 1}, .padding = {1, 1}, .dilation = {1, 1}};
//   Tensor columns = kernels::Unfold(images, w);    // [planes, 9, windows]
//
// Convolutions are matrix products of columns, and pools are folds of them. The kernel's length
// says how many dimensions the plane has; windows fit into it with its padding, of zeros. The
// operations check. Results are fresh and contiguous. f32 and f64; no history; any thread.

#pragma once

#include <cstdint>

#include "autograd/tensor/tensor.h"

namespace twingrad::kernels {

struct Window {
  Shape kernel, stride, padding, dilation;

  int64_t entries() const;
  // How many windows there are along each dimension of the plane.
  Shape Counts(Ints plane) const;
};

// [planes, entries, windows]: the entries of each window, zeros in the padding.
Tensor Unfold(const Tensor& a, const Window& window);
// The adjoint: each entry added where Unfold took it from, in order. `sizes` end in the plane.
Tensor Fold(const Tensor& columns, const Window& window, Ints sizes);
// [planes, windows]: where in its plane each window has its first greatest entry or first NaN.
// Each window has an entry inside.
Tensor IndexOfGreatest(const Tensor& a, const Window& window);

}  // namespace twingrad::kernels
