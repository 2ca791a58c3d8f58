// Dropout: some elements become 0, the others larger.
//
//   Tensor y = ops::Dropout(x, 0.1, /*seed=*/7);
//
// Floats. Which elements depends on the seed and their places alone, so that the same call
// drops the same ones again. Errors: kUndefined for an undefined operand, kDType for i64 and bool,
// kInvalidArgument for a share out of its range.

#pragma once

#include <cstdint>

#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// a / (1 - by), and 0 times that of each element with probability `by`, from 0 to less than 1:
// where word i % 4 of Philox (random/philox.h) with counter i / 4 and key `seed` is below by 2³².
// N. Srivastava et al., "Dropout", JMLR 2014.
Tensor Dropout(const Tensor& a, double by, uint64_t seed);

}  // namespace twingrad::ops
