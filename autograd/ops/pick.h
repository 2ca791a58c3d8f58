// Elements in other places: reversed, picked by indices, put in order, added up.
//
//   Tensor rows = ops::IndexSelect(a, 0, indices);
//   Tensor top = ops::Max(a, 1, /*keepdim=*/false);    // Argmax says where it was
//
// Copies. Indices are i64 and have no gradient; one that is out of range is Error(kIndex). Where
// several elements are equal, max, min and sort go by their order, and so does the gradient.

#ifndef AUTOGRAD_OPS_PICK_H_
#define AUTOGRAD_OPS_PICK_H_

#include "absl/types/span.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

Tensor Flip(const Tensor& a, absl::Span<const int64_t> dims);

// The entries of `dim` that the list `index` names.
Tensor IndexSelect(const Tensor& a, int64_t dim, const Tensor& index);
// Of index's shape: a with the coordinate of `dim` replaced by the index. Other sizes of `index`
// are at most a's.
Tensor Gather(const Tensor& a, int64_t dim, const Tensor& index);
// a plus each element of `source`, in order, where Gather would read.
Tensor ScatterAdd(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source);

// Along `dim`: in order; the greatest, the least; and their indices.
Tensor Sort(const Tensor& a, int64_t dim, bool descending);
Tensor Argsort(const Tensor& a, int64_t dim, bool descending);
Tensor Max(const Tensor& a, int64_t dim, bool keepdim);
Tensor Min(const Tensor& a, int64_t dim, bool keepdim);
Tensor Argmax(const Tensor& a, int64_t dim, bool keepdim);
Tensor Argmin(const Tensor& a, int64_t dim, bool keepdim);

// The sums of the entries up to each along `dim`.
Tensor Cumsum(const Tensor& a, int64_t dim);

}  // namespace twingrad::ops

#endif  // AUTOGRAD_OPS_PICK_H_
