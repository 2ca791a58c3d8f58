// Planes of other sizes, the last one, two or three dimensions, made of the entries next to each
// place, differentiable.
//
//   Tensor y = ops::UpsampleLinear<2>(images, {64, 64}, /*corners=*/false);
//
// The operand is [N, C, ..] or [C, ..]; `sizes` are those of the new plane, which may be smaller
// too. With `corners` the corners stand on corners, else the middles of all entries fill the same
// length. Where several entries meet, zero weights count. What does not fit is Error(kShape).

#pragma once

#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// Entry i is that at the whole part of i size / sizes.
template <int kDims>
Tensor UpsampleNearest(const Tensor& a, Ints sizes);
// Linear between entries along each dimension.
template <int kDims>
Tensor UpsampleLinear(const Tensor& a, Ints sizes, bool corners);
// Keys' cubic convolution, with a = -3/4, of four entries along each dimension.
Tensor UpsampleBicubic(const Tensor& a, Ints sizes, bool corners);

}  // namespace twingrad::ops
