// Elements in other places: reversed, picked by indices, put in order, added up along a dimension.
//
//   Tensor picked = kernels::Gather(a, /*dim=*/1, indices);
//   Sorted s = kernels::Sort(a, 0, /*descending=*/false);   // s.values, s.indices
//
// Results are fresh and contiguous. Indices are i64, 0 to size - 1, else Error(kIndex). Dimensions
// are within the rank, and shapes fit: the operations check. No history is recorded. Any thread.

#pragma once

#include <cstdint>

#include "autograd/tensor/tensor.h"

namespace twingrad::kernels {

Tensor Flip(const Tensor& a, Ints dims);

// The shape of `index`; an element is a's with the coordinate of `dim` replaced by the index there.
// `op` is named in errors.
Tensor Gather(const Tensor& a, int64_t dim, const Tensor& index, const char* op = "gather");
// `a` with each element of `source`, in row-major order, added where the index replaces the
// coordinate of `dim`. `source` has index's shape.
Tensor ScatterAdd(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source);
// The same of zeros of `sizes`, which are not written twice.
Tensor ScatterSums(Ints sizes, int64_t dim, const Tensor& index, const Tensor& source);

// The same, but put in the place of what is there. All element types.
Tensor Scatter(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source);

// The same, but multiplied with what is there, or the greater (lesser) kept, NaN above all. f32,
// f64.
Tensor ScatterMul(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source);
Tensor ScatterExtreme(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source,
                      bool least);

// Rows along `dim` in order, equal elements in theirs, NaN above all; and where they came from.
struct Sorted {
  Tensor values;
  Tensor indices;
};
Sorted Sort(const Tensor& a, int64_t dim, bool descending);
// The index along `dim` of the greatest (least) element, the first of several, or the first NaN;
// `dim` is kept with size 1. The size must not be 0.
Tensor ExtremeIndex(const Tensor& a, int64_t dim, bool least);

// The index along `dim` of the greatest (least) element up to each, the last of several, or the
// last NaN.
Tensor RunningExtremeIndex(const Tensor& a, int64_t dim, bool least);

// Running sums along `dim`, from its end on where `reverse`.
Tensor Cumsum(const Tensor& a, int64_t dim, bool reverse);

// Running products along `dim`; and the gradient of the elements from that of the products, right
// at zeros, in time that grows with the size.
Tensor Cumprod(const Tensor& a, int64_t dim);
Tensor CumprodGradient(const Tensor& gradient, const Tensor& a, int64_t dim);

// log of the sums of e^a up to each entry along `dim`, floats; nothing overflows.
Tensor Logcumsumexp(const Tensor& a, int64_t dim);
// Of its results r, and of x: Σ x_k e^(r_i - r_k) over the entries k from i on; or Σ x_k e^(r_k -
// r_i) over those up to it, where `up`. No power is above 0, and time grows with the size.
Tensor DampedSum(const Tensor& x, const Tensor& r, int64_t dim, bool up);

// Of each row of a matrix: for each element the product of all others.
Tensor ProductOfOthers(const Tensor& matrix);

}  // namespace twingrad::kernels
