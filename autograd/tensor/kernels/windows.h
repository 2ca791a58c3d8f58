// Windows: boxes of entries that move over the last dimensions of a tensor, its plane.
//
//   Windows w = {BoxLine(5, {.kernel = 3, .padding = 1}), BoxLine(4, {.kernel = 2})};
//   Tensor columns = kernels::Unfold(images, w);    // [planes, 6, 15]
//
// Convolutions are matrix products of columns, and pools and interpolations are sums of them. The
// number of Lines says how many dimensions the plane has. Results are fresh and contiguous. f32 and
// f64; no history; any thread.

#pragma once

#include "autograd/tensor/kernels/window_line.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::kernels {

// [planes, entries, windows]: the entries of each window, zeros where there are none.
Tensor Unfold(const Tensor& a, const Windows& windows);
// The adjoint: each entry added where Unfold took it from, in order. `sizes` end in the plane.
Tensor Fold(const Tensor& columns, const Windows& windows, Ints sizes);

// [planes, windows]: the sum of the entries of each window, in one pass with the bits of Unfold and
// Sum. Undefined where there is no such kernel, which is on devices that the host cannot touch, of
// narrow types, and of one large window in a plane. Each window has an entry inside.
Tensor WindowSums(const Tensor& a, const Windows& windows);

// [entries, windows]: the products of the Lines' weights, of the element type and device of `like`.
Tensor WeightsOf(const Windows& windows, const Tensor& like);
// [windows]: how many entries each has.
Tensor NumbersOfEntries(const Windows& windows, const Tensor& like);

}  // namespace twingrad::kernels
