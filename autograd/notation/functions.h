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
#include <string>
#include <vector>

#include "autograd/ops/ops.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

using ops::Abs;
using ops::Acos;
using ops::Acosh;
using ops::Addbmm;
using ops::Addcdiv;
using ops::Addcmul;
using ops::Addmm;
using ops::Addmv;
using ops::Addr;
using ops::Asin;
using ops::Asinh;
using ops::Atan;
using ops::Atan2;
using ops::Atanh;
using ops::Baddbmm;
using ops::BceWithLogits;
using ops::Bmm;
using ops::Cast;
using ops::Celu;
using ops::Cholesky;
using ops::Clamp;
using ops::Clone;
using ops::Cos;
using ops::Cosh;
using ops::CrossEntropy;
using ops::Det;
using ops::Detach;
using ops::Dot;
using ops::Elu;
using ops::Embedding;
using ops::Erf;
using ops::Erfc;
using ops::Exp;
using ops::Exp2;
using ops::Expm1;
using ops::Fmod;
using ops::Gelu;
using ops::GeluTanh;
using ops::Hardsigmoid;
using ops::Hardtanh;
using ops::Inverse;
using ops::LeakyRelu;
using ops::Lerp;
using ops::Log;
using ops::Log10;
using ops::Log1p;
using ops::Log2;
using ops::LogAddExp;
using ops::MaskedFill;
using ops::Matmul;
using ops::Maximum;
using ops::Minimum;
using ops::MseLoss;
using ops::NllLoss;
using ops::Outer;
using ops::PadCircular;
using ops::PadReflect;
using ops::PadReplicate;
using ops::Pow;
using ops::Reciprocal;
using ops::Reduction;
using ops::Relu;
using ops::Relu6;
using ops::Remainder;
using ops::Repeat;
using ops::Rsqrt;
using ops::Selu;
using ops::Sgn;
using ops::Sigmoid;
using ops::Silu;
using ops::Sin;
using ops::Sinc;
using ops::Sinh;
using ops::SmoothL1Loss;
using ops::Softplus;
using ops::SolveTriangular;
using ops::Sqrt;
using ops::Tan;
using ops::Tanh;
using ops::To;
using ops::Where;
using ops::XLogY;

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
Tensor Var(const Tensor& a, Ints dims = {}, bool keepdim = false);
Tensor Std(const Tensor& a, Ints dims = {}, bool keepdim = false);
Tensor Norm(const Tensor& a, Ints dims = {}, bool keepdim = false);

Tensor Softmax(const Tensor& a, int64_t dim);
Tensor LogSoftmax(const Tensor& a, int64_t dim);
Tensor Cumsum(const Tensor& a, int64_t dim);
Tensor Cumprod(const Tensor& a, int64_t dim);
Tensor Logcumsumexp(const Tensor& a, int64_t dim);
Tensor Cummax(const Tensor& a, int64_t dim);
Tensor Cummin(const Tensor& a, int64_t dim);
Tensor CummaxIndices(const Tensor& a, int64_t dim);
Tensor CumminIndices(const Tensor& a, int64_t dim);
Tensor Topk(const Tensor& a, int64_t count, int64_t dim = -1);
Tensor TopkIndices(const Tensor& a, int64_t count, int64_t dim = -1);
Tensor Sort(const Tensor& a, int64_t dim, bool descending = false);
Tensor Argsort(const Tensor& a, int64_t dim, bool descending = false);
Tensor Max(const Tensor& a, int64_t dim, bool keepdim = false);
Tensor Min(const Tensor& a, int64_t dim, bool keepdim = false);
Tensor Argmax(const Tensor& a, int64_t dim, bool keepdim = false);
Tensor Argmin(const Tensor& a, int64_t dim, bool keepdim = false);
// Both at once: `.values`, and `.indices`, which have no gradient.
using ops::ValuesAndIndices;
ValuesAndIndices CummaxWithIndices(const Tensor& a, int64_t dim);
ValuesAndIndices CumminWithIndices(const Tensor& a, int64_t dim);
ValuesAndIndices TopkWithIndices(const Tensor& a, int64_t count, int64_t dim = -1);
ValuesAndIndices SortWithIndices(const Tensor& a, int64_t dim, bool descending = false);
ValuesAndIndices MaxWithIndices(const Tensor& a, int64_t dim, bool keepdim = false);
ValuesAndIndices MinWithIndices(const Tensor& a, int64_t dim, bool keepdim = false);

// One operand or more: Einsum("ij,jk->ik", {a, b}).
Tensor Einsum(const std::string& equation, const std::vector<Tensor>& operands);
Tensor Cat(const std::vector<Tensor>& operands, int64_t dim);
Tensor Stack(const std::vector<Tensor>& operands, int64_t dim);
Tensor Flip(const Tensor& a, Ints dims);
Tensor IndexSelect(const Tensor& a, int64_t dim, const Tensor& index);
Tensor Gather(const Tensor& a, int64_t dim, const Tensor& index);
Tensor ScatterAdd(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source);
Tensor Scatter(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source);
Tensor IndexAdd(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source);
Tensor IndexCopy(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source);
// By up to three indices, one a dimension from the first on; or where a mask of bool, which stands
// alone, is true.
Tensor Index(const Tensor& a, const std::vector<Tensor>& indices);
Tensor IndexPut(const Tensor& a, const std::vector<Tensor>& indices, const Tensor& source,
                bool accumulate = false);
Tensor MaskedSelect(const Tensor& a, const Tensor& mask);
using ops::ScatterReduction;
Tensor ScatterReduce(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source,
                     ScatterReduction reduction, bool include_self = true);
// Sparse tensors: `indices` are [d, entries] in the first d dimensions, `values` [entries, the
// other sizes]. Values and indices are those of a coalesced one.
Tensor SparseCoo(const Tensor& values, const Tensor& indices, Ints sizes);
Tensor Coalesce(const Tensor& a);
Tensor ToDense(const Tensor& a);
Tensor SparseValues(const Tensor& a);
Tensor SparseIndices(const Tensor& a);
inline constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
// `part` in place of what Select and the others take with the same arguments.
Tensor SelectScatter(const Tensor& a, const Tensor& part, int64_t dim, int64_t index);
Tensor SliceScatter(const Tensor& a, const Tensor& part, int64_t dim, int64_t start,
                    int64_t stop = kEnd, int64_t step = 1);
Tensor DiagonalScatter(const Tensor& a, const Tensor& part, int64_t dim0 = 0, int64_t dim1 = 1,
                       int64_t by = 0);
Tensor AsStridedScatter(const Tensor& a, const Tensor& part, Ints shape, Ints strides,
                        int64_t start = 0);
Tensor Roll(const Tensor& a, int64_t dim, int64_t by);
// What lies above, or below, the diagonal `by` to the right of the main one is 0.
Tensor Tril(const Tensor& a, int64_t by = 0);
Tensor Triu(const Tensor& a, int64_t by = 0);
// Two sizes a dimension, from the last one back: before and after it.
Tensor Pad(const Tensor& a, Ints pads, double by = 0);

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
Tensor Slice(const Tensor& a, int64_t dim, int64_t start = 0, int64_t stop = kEnd,
             int64_t step = 1);

// Of each matrix of two dimensions, which go, the diagonal `by` to the right; it comes last.
Tensor Diagonal(const Tensor& a, int64_t dim0 = -2, int64_t dim1 = -1, int64_t by = 0);
// Windows of `count` entries of `dim`, each `step` after the last; their entries come last.
Tensor Unfold(const Tensor& a, int64_t dim, int64_t count, int64_t step = 1);

// Of a contiguous tensor's elements in row-major order, those at `start` and each coordinate times
// its stride from there.
Tensor AsStrided(const Tensor& a, Ints shape, Ints strides, int64_t start = 0);

// Views that share one node: each entry of `dim`, parts of `count` entries, `count` parts.
VariableList Unbind(const Tensor& a, int64_t dim = 0);
VariableList Split(const Tensor& a, int64_t count, int64_t dim = 0);
VariableList Chunk(const Tensor& a, int64_t count, int64_t dim = 0);

}  // namespace twingrad
