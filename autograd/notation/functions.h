// The operations as users call them: without `ops::`, with default arguments, and with dimensions
// and indices that may count from the end.
//
//   Tensor loss = Mean(Pow(Tanh(Matmul(x, w) + b) - y, 2));
//   Tensor rows = Reshape(a, {-1, 3});         // as many rows as fit
//   Tensor top = Max(a, -1);                   // along the last dimension
//
// A dimension of -1 is the last, -2 the one before; all else is as in the header of the operation
// under autograd/ops, errors included. Do not also bring the whole of `twingrad::ops` into scope:
// calls would be ambiguous.

#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "autograd/ops/ops.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

using ops::Abs;
using ops::Addmm;
using ops::Cast;
using ops::Clamp;
using ops::Clone;
using ops::Cos;
using ops::CrossEntropy;
using ops::Detach;
using ops::Exp;
using ops::Log;
using ops::Matmul;
using ops::Maximum;
using ops::Minimum;
using ops::MseLoss;
using ops::Pow;
using ops::Reduction;
using ops::Relu;
using ops::Sgn;
using ops::Sigmoid;
using ops::Sin;
using ops::Sqrt;
using ops::Tanh;
using ops::To;
using ops::Where;

// The constant takes the tensor's type, as in operators.h.
Tensor Pow(const Tensor& a, double exponent);
Tensor Pow(double base, const Tensor& exponent);

// Over all dimensions where `dims` is empty.
Tensor Sum(const Tensor& a, Ints dims = {}, bool keepdim = false);
Tensor Mean(const Tensor& a, Ints dims = {}, bool keepdim = false);
Tensor Prod(const Tensor& a, Ints dims = {}, bool keepdim = false);
Tensor Amax(const Tensor& a, Ints dims = {}, bool keepdim = false);
Tensor Amin(const Tensor& a, Ints dims = {}, bool keepdim = false);
Tensor Logsumexp(const Tensor& a, Ints dims = {}, bool keepdim = false);

Tensor Softmax(const Tensor& a, int64_t dim);
Tensor LogSoftmax(const Tensor& a, int64_t dim);
Tensor Cumsum(const Tensor& a, int64_t dim);
Tensor Sort(const Tensor& a, int64_t dim, bool descending = false);
Tensor Argsort(const Tensor& a, int64_t dim, bool descending = false);
Tensor Max(const Tensor& a, int64_t dim, bool keepdim = false);
Tensor Min(const Tensor& a, int64_t dim, bool keepdim = false);
Tensor Argmax(const Tensor& a, int64_t dim, bool keepdim = false);
Tensor Argmin(const Tensor& a, int64_t dim, bool keepdim = false);

Tensor Cat(const std::vector<Tensor>& operands, int64_t dim);
Tensor Stack(const std::vector<Tensor>& operands, int64_t dim);
Tensor Flip(const Tensor& a, Ints dims);
Tensor IndexSelect(const Tensor& a, int64_t dim, const Tensor& index);
Tensor Gather(const Tensor& a, int64_t dim, const Tensor& index);
Tensor ScatterAdd(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source);

// One size may be -1: what the others leave. Error(kShape) where that is no whole number, or any
// number, since another size is 0; and for more than one -1.
Tensor View(const Tensor& a, Ints shape);
Tensor Reshape(const Tensor& a, Ints shape);
Tensor Transpose(const Tensor& a, int64_t dim0 = -2, int64_t dim1 = -1);
Tensor Permute(const Tensor& a, Ints dims);
// A size of -1 keeps that of the operand.
Tensor Expand(const Tensor& a, Ints shape);
Tensor Squeeze(const Tensor& a, Ints dims = {});
Tensor Unsqueeze(const Tensor& a, int64_t dim);
// Negative indices count from the end of the dimension.
Tensor Select(const Tensor& a, int64_t dim, int64_t index);
inline constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
Tensor Slice(const Tensor& a, int64_t dim, int64_t start = 0, int64_t stop = kEnd,
             int64_t step = 1);

}  // namespace twingrad
