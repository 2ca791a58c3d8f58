// What can be computed with sparse tensors (tensor/sparse.h): their canonical form, their dense
// form, copies and sums.
//
//   Tensor sum = kernels::AddSparse(a, b);    // sparse if both are
//   kernels::AddSparseInto(dense, s);
//
// Duplicate entries of each operand are added up first, in order, so that a sum has the bits of the
// sum of the dense forms. No history, no version is bumped. Of numbers; copies of
// every type. Sums need equal sizes, dtypes and devices: Error kShape, kDType, kDevice.

#pragma once

#include "autograd/base/dtype.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::kernels {

// Entries in ascending order of their indices, no two of one index; `a` itself where it is so.
Tensor Coalesce(const Tensor& a);
Tensor ToDense(const Tensor& a);
// With parts of its own.
Tensor CloneSparse(const Tensor& a);
Tensor CastSparse(const Tensor& a, DType dtype);

// a + b, of which one or both are sparse. Sparse and coalesced where both are and list as many
// dimensions, else dense.
Tensor AddSparse(const Tensor& a, const Tensor& b);
// target += a, for a dense target without overlap.
void AddSparseInto(Tensor& target, const Tensor& a);
// target += a, both sparse, in place. False, and nothing done, where the sum would be dense.
bool AddIntoSparse(Tensor& target, const Tensor& a);

}  // namespace twingrad::kernels
