// Sparse tensors in coordinate form: for each entry its index in the first dimensions, and a value
// that has the remaining ones. What is not listed is 0; entries of one index add up, in order.
//
//   Tensor s = MakeSparse({4, 2}, indices, values);   // indices i64[1,3], values f64[3,2]
//   SparsePartsOf(s).values;
//
// A Tensor like any other to those who only pass it on: it has a type, sizes and a version, and may
// have a place in a graph. Operations on elements refuse it, but for those of kernels/sparse.h.
// Threads: as for elements, reads and writes of the parts are the caller's to order.

#pragma once

#include <cstdint>

#include "autograd/tensor/tensor.h"

namespace twingrad {

struct SparseParts {
  Tensor indices;  // i64[sparse dimensions, entries]
  Tensor values;   // [entries, remaining sizes]
  // Indices are in ascending order and no two are equal.
  bool is_coalesced = false;

  int64_t sparse_dims() const { return indices.sizes()[0]; }
  int64_t entries() const { return indices.sizes()[1]; }
};

// Shares the memory of both, which are dense and on one device. Errors: kDType unless indices are
// i64, kShape where the shapes do not fit `sizes`, kIndex for an index out of range, kDevice.
Tensor MakeSparse(Ints sizes, const Tensor& indices, const Tensor& values);

// Error(kInvalidArgument) on a dense tensor.
const SparseParts& SparsePartsOf(const Tensor& sparse);
// Gives a sparse tensor other parts, of the same sizes and type; those who share it see them. The
// version is the caller's to bump.
void SetSparseParts(const Tensor& sparse, SparseParts parts);

}  // namespace twingrad
