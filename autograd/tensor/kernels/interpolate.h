// Sums of the entries of windows (windows.h) times their weights in one pass.
//
//   Tensor y = kernels::Interpolate(images, {LinearLine(4, 8, false), LinearLine(4, 8, false)});
//
// The same bits as those of Unfold, a product and a sum. Results are fresh and contiguous. f32 and
// f64 on the host; undefined where there is no such kernel, which is of other types and on devices
// that the host cannot touch. No history; any thread.

#pragma once

#include "autograd/tensor/kernels/window_line.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::kernels {

// [planes, windows]: the entries of each window times their weights (WeightsOf), in their order.
// All entries lie inside.
Tensor Interpolate(const Tensor& a, const Windows& windows);
// The adjoint: each term, [planes, windows], times the weights, added where its window has entries,
// in the order of entries and then of windows. `sizes` end in the plane.
Tensor InterpolateBack(const Tensor& terms, const Windows& windows, Ints sizes);

}  // namespace twingrad::kernels
