// Sparse tensors (tensor/sparse.h) in graphs: made of values and indices, brought into order, made
// dense, taken apart.
//
//   Tensor s = ops::SparseCoo(v, i, {4, 2});   // i: i64[1,3], v: [3,2]
//   Tensor c = ops::Coalesce(s);
//   Mul(ops::SparseValues(c), w);              // the gradient of c is sparse
//
// Indices are [d, entries] for the first d dimensions, 1 or more; values are [entries, the other
// sizes]. Entries of one place add up, in order. All results are copies, so that a write to an
// operand reaches none of them. The gradient of a sparse tensor is dense or sparse, as it comes;
// indices have none.
//
// On the host alone: Error(kUnsupported) elsewhere. Further errors: kUndefined for an undefined
// operand, kIndex for an index out of range, kShape for shapes that do not fit, kDType for indices
// that are not i64 and for bool where entries are added, kDevice for operands on different devices,
// kInvalidArgument for a dense operand where a sparse one is needed. Safe from any thread.

#pragma once

#include <cstdint>

#include "autograd/base/dtype.h"
#include "autograd/base/span.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

inline constexpr int64_t kAnyEntries = -1;

Tensor SparseCoo(const Tensor& values, const Tensor& indices, Ints sizes);

// Entries in ascending order of their indices, no two of one index. Error(kInvalidArgument) if
// these are not `count`.
Tensor Coalesce(const Tensor& a, int64_t count = kAnyEntries);

Tensor ToDense(const Tensor& a);

// The entries in another type.
Tensor CastSparse(const Tensor& a, DType dtype);

// Of a coalesced tensor: Error(kInvalidArgument) of another.
Tensor SparseValues(const Tensor& a);
Tensor SparseIndices(const Tensor& a);

}  // namespace twingrad::ops
