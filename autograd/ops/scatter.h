// Elements put at places that indices name.
//
//   Tensor r = ops::Scatter(a, /*dim=*/0, index, source);   // a, overwritten at the indices
//
// Copies, with the operand's type and device. Indices and errors are as in rearrange.h.

#pragma once

#include <cstdint>

#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// a with each element of `source`, of index's shape, in order, put where Gather would read: of
// those for one place the last one stays, and the others have a gradient of 0. All element types.
Tensor Scatter(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source);

// Bool, of index's shape: whether no later index names the same place of a tensor of shape `whole`.
Tensor StaysThere(Ints whole, int64_t dim, const Tensor& index);

// a with each entry of `source` along dim, in order, added to the entry that the list `index`
// names, or put there as Scatter would. `source` has a's shape but along dim.
Tensor IndexAdd(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source);
Tensor IndexCopy(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source);

}  // namespace twingrad::ops
