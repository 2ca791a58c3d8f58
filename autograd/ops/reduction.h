// sum, mean, var, std, norm, prod, amax and amin, differentiable.
//
//   Tensor s = ops::Sum(a, {0, 2}, /*keepdim=*/true);
//   Tensor m = ops::Mean(a, {}, false);               // no dims: over all of them
//
// The result has the operand's type and device. `dims` are dimensions in any order; none means all.
// Each goes from the shape, or becomes a size of 1 where keepdim says so. A sum of nothing is 0, a
// mean of nothing NaN. Errors: kUndefined for an undefined operand, kDType for types not taken,
// kInvalidArgument for a dimension that the operand lacks or that is named twice.

#pragma once

#include <cstdint>

#include "autograd/base/dtype.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// Numbers; integers wrap.
Tensor Sum(const Tensor& a, Ints dims, bool keepdim);
// Floats.
Tensor Mean(const Tensor& a, Ints dims, bool keepdim);
// The mean of the squared distances to the mean, NaN of nothing. Floats.
Tensor Var(const Tensor& a, Ints dims, bool keepdim);
// The root of that. Exactly 0 where all elements are equal: that has no derivative, and 0 is taken.
Tensor Std(const Tensor& a, Ints dims, bool keepdim);
// The root of the sum of squares. Floats. Of zeros alone it has no derivative, and 0 is taken.
Tensor Norm(const Tensor& a, Ints dims, bool keepdim);

// Numbers. 1 of nothing; integers wrap. Derivatives are right at zeros, however many.
Tensor Prod(const Tensor& a, Ints dims, bool keepdim);
// Numbers. Error(kShape) where a reduced dimension has size 0. Where several elements are the
// greatest or least, each gets an equal share of the gradient (max and min of rearrange.h give it
// to the first).
Tensor Amax(const Tensor& a, Ints dims, bool keepdim);
Tensor Amin(const Tensor& a, Ints dims, bool keepdim);

// Sum, without history.
Tensor SumValues(const Tensor& a, Ints dims, bool keepdim);
// Whether a reduction over `dims` takes in dimension d; the operand's shape with 1 in place of each
// reduced size.
bool IsReduced(Ints dims, int64_t d);
Shape KeptShape(const Tensor& a, Ints dims);

}  // namespace twingrad::ops
