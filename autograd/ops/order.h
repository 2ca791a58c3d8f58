// Elements by their order along a dimension: sorted, the greatest and the least, those so far.
//
//   Tensor top = ops::Topk(a, 1, 5);        // TopkIndices says where they were
//   Tensor so_far = ops::Cummax(a, 0);
//   auto [sorted, from] = ops::SortWithIndices(a, 1, /*descending=*/false);
//
// Where several elements are equal, all go by their order, and so does the gradient.
//
// Copies, with the operand's type, f32, f64 or i64, and device. The gradient goes where an element
// was taken from; indices are i64 and have none. Errors: kUndefined for an undefined operand,
// kIndex for a dimension out of range, kShape for more elements than there are.

#pragma once

#include <cstdint>

#include "autograd/ops/values_and_indices.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// Along `dim`, numbers: in order, with NaN last; the first greatest and the first least,
// where NaN wins and a size of 0 is kShape; and, as i64, where these were. Sort and Argsort keep
// a's shape; the others lose `dim`, or keep it with size 1.
Tensor Sort(const Tensor& a, int64_t dim, bool descending);
Tensor Argsort(const Tensor& a, int64_t dim, bool descending);
Tensor Max(const Tensor& a, int64_t dim, bool keepdim);
Tensor Min(const Tensor& a, int64_t dim, bool keepdim);
Tensor Argmax(const Tensor& a, int64_t dim, bool keepdim);
Tensor Argmin(const Tensor& a, int64_t dim, bool keepdim);

// The first `count` of Sort with `descending`, and of Argsort; more than there are are kShape.
Tensor Topk(const Tensor& a, int64_t dim, int64_t count);
Tensor TopkIndices(const Tensor& a, int64_t dim, int64_t count);
// The greatest and the least of the entries up to each along `dim`, in a's shape, the last of equal
// ones, or the last NaN; and where these were, i64. Numbers.
Tensor Cummax(const Tensor& a, int64_t dim);
Tensor Cummin(const Tensor& a, int64_t dim);
Tensor CummaxIndices(const Tensor& a, int64_t dim);
Tensor CumminIndices(const Tensor& a, int64_t dim);

// Each of these and its indices, by one search, in one node.
ValuesAndIndices SortWithIndices(const Tensor& a, int64_t dim, bool descending);
ValuesAndIndices TopkWithIndices(const Tensor& a, int64_t dim, int64_t count);
ValuesAndIndices MaxWithIndices(const Tensor& a, int64_t dim, bool keepdim);
ValuesAndIndices MinWithIndices(const Tensor& a, int64_t dim, bool keepdim);
ValuesAndIndices CummaxWithIndices(const Tensor& a, int64_t dim);
ValuesAndIndices CumminWithIndices(const Tensor& a, int64_t dim);

}  // namespace twingrad::ops
