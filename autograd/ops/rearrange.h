// Elements in other places: one tensor after the other, reversed, picked by indices, added up.
//
//   Tensor c = ops::Cat({&a, &b}, 0);      // a and b may differ in size along dimension 0
//   Tensor rows = ops::IndexSelect(a, 0, indices);
//
// Copies, with the operand's type and device. Indices are i64 and have no gradient. Errors:
// kUndefined for an undefined operand, kIndex for a dimension or an index out of range, kDType for
// types not taken or that differ, kDevice for operands on different devices, kShape for shapes that
// do not fit.

#pragma once

#include <cstdint>

#include "autograd/base/span.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// All element types; the derivative gives each operand its part of the gradient. No operands are
// Error(kInvalidArgument).
// Operands of one rank, at least 1, and of equal sizes but along `dim`; their sizes there add up.
Tensor Cat(Span<const Tensor* const> operands, int64_t dim);
// Operands of one shape; the result has one dimension more, of as many entries as operands.
Tensor Stack(Span<const Tensor* const> operands, int64_t dim);

// In reverse along each of `dims`, in a's shape. All element types.
Tensor Flip(const Tensor& a, Ints dims);

// Entry k of `dim` becomes entry k + by, counted around. All element types.
Tensor Roll(const Tensor& a, int64_t dim, int64_t by);
// Matrices with 0 above (below) the diagonal that is `by` to the right. Numbers; a lower rank
// than 2 is kShape.
Tensor Tril(const Tensor& a, int64_t by);
Tensor Triu(const Tensor& a, int64_t by);

// With pads[0] entries more before and pads[1] after those of the last dimension, pads[2] and
// pads[3] of the one before, and so on, each `by`. Numbers. Errors: kShape for numbers that
// are negative, odd in count, or too many.
Tensor Pad(const Tensor& a, Ints pads, double by);
// The same with entries that are there: mirrored at the first and the last, these two, or counted
// around. Floats. Errors: kShape where there are too few.
Tensor PadReflect(const Tensor& a, Ints pads);
Tensor PadReplicate(const Tensor& a, Ints pads);
Tensor PadCircular(const Tensor& a, Ints pads);
// counts[d] times one after another along each dimension d; there may be new ones before a's. All
// element types. Errors: kShape for negative counts, and for fewer than dimensions.
Tensor Repeat(const Tensor& a, Ints counts);

// The entries of `dim` that the list `index` names, as many as it has. All element types.
Tensor IndexSelect(const Tensor& a, int64_t dim, const Tensor& index);
// The rows of the matrix `a` that `index` names, in place of each index. All element types. With
// `sparse` a leaf on the host gets a sparse gradient, uncoalesced: an entry an index, in order.
// Any other `a` gets a dense one, which the functions that made it take.
Tensor Embedding(const Tensor& a, const Tensor& index, bool sparse = false);
// Of index's shape: a with the coordinate of `dim` replaced by the index. `index` has a's rank, and
// its other sizes are at most a's. All element types.
Tensor Gather(const Tensor& a, int64_t dim, const Tensor& index);
// a plus each element of `source`, of index's shape, in order, where Gather would read.
// Numbers.
Tensor ScatterAdd(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source);

// Errors of indices that do not fit `a`, or a source that does not fit them.
void CheckIndices(const char* op, const Tensor& a, int64_t dim, const Tensor& index);
void CheckIndices(const char* op, const Tensor& a, int64_t dim, const Tensor& index,
                  const Tensor& source);

// The sums of the entries up to each along `dim`, in a's shape. Numbers.
Tensor Cumsum(const Tensor& a, int64_t dim);
// Their products, with derivatives of any order that are right at zeros.
Tensor Cumprod(const Tensor& a, int64_t dim);

}  // namespace twingrad::ops
