// What an operation that picks elements gives: these, and where they stood.
//
//   const auto [values, indices] = ops::SortWithIndices(a, 0, false);

#pragma once

#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// The values have the operation's history. The indices, i64 and of the same shape, have none: they
// are what the derivative needs, and its node saves them. Written in place before it runs, they are
// an error there, as any saved tensor.
struct ValuesAndIndices {
  Tensor values;
  Tensor indices;
};

}  // namespace twingrad::ops
