// Windows: boxes of entries that move over the last dimensions of a tensor, its plane.
//
//   Windows w = {BoxLine(5, {.kernel = 3, .padding = 1}), BoxLine(4, {.kernel = 2})};
//   Tensor columns = kernels::Unfold(images, w);    // [planes, 6, 15]
//
// Convolutions are matrix products of columns, and pools and interpolations are sums of them. The
// number of Lines says how many dimensions the plane has. Results are fresh and contiguous. f32 and
// f64; no history; any thread.

#pragma once

#include <cstdint>
#include <optional>

#include "autograd/tensor/kernels/window_bodies.h"
#include "autograd/tensor/kernels/window_line.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::kernels {

// [planes, entries, windows]: the entries of each window, zeros where there are none.
Tensor Unfold(const Tensor& a, const Windows& windows);
// The adjoint: each entry added where Unfold took it from, in order. `sizes` end in the plane.
Tensor Fold(const Tensor& columns, const Windows& windows, Ints sizes);
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

// The windows as boxes, for bodies; nothing where some are none.
std::optional<Boxes> BoxesIn(const Windows& windows);

// [entries, windows]: the products of the Lines' weights, of the element type and device of `like`.
Tensor WeightsOf(const Windows& windows, const Tensor& like);
// [windows]: how many entries each has.
Tensor NumbersOfEntries(const Windows& windows, const Tensor& like);

}  // namespace twingrad::kernels
