// unbind, split and chunk: one node with several results.
//
//   VariableList rows = ops::Unbind(a, 0);    // each shares a's memory and version
//   VariableList two = ops::Chunk(a, 1, 2);   // the halves of each row
//
// Results are views as those of view.h, written and made anew like them. Together they have one
// node: it runs once all gradients that can reach it are there, and takes zeros for those that no
// gradient reached. All element types. Errors: kUndefined for an undefined operand, kIndex for a
// dimension out of range, kInvalidArgument for a count below 1.

#pragma once

#include <cstdint>

#include "autograd/graph/node.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// Each entry of `dim`, which the results lack; none of a dimension of size 0.
VariableList Unbind(const Tensor& a, int64_t dim);
// `count` entries of `dim` each, and what is left as the last; of size 0 one part.
VariableList Split(const Tensor& a, int64_t dim, int64_t count);
// As Split, with as many entries as give `count` parts, or fewer parts where that leaves the last
// ones without; of size 0 `count` parts.
VariableList Chunk(const Tensor& a, int64_t dim, int64_t count);

}  // namespace twingrad::ops
