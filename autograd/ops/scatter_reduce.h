// Elements sent to places by indices, and each place reduced to one number.
//
//   Tensor r = ops::ScatterReduce(a, /*dim=*/0, index, source, ScatterReduction::kAmax, true);
//
// Indices and errors are as in rearrange.h.

#pragma once

#include <cstdint>

#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

enum class ScatterReduction : uint8_t { kSum, kProd, kMean, kAmax, kAmin };

// a, but each element where Gather would read is the sum, product, mean, greatest or least of the
// elements of `source`, of index's shape, that go there in order, and of a's own unless
// `include_self` is false. Floats. Of several that are the greatest or least each gets an equal
// share of the gradient; that of a product is right at zeros, and where it has to be derived again
// takes as much memory as elements times the most that meet in one place.
Tensor ScatterReduce(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source,
                     ScatterReduction reduction, bool include_self);

}  // namespace twingrad::ops
