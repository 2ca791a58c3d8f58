// Derivatives of f16 and bf16, which are computed in f32 as values are.
//
//   const DType dtype = gradient.dtype();
//   if (IsShort(dtype)) Widen(gradient), Widen(saved);
//   ...                                                 // results of f32
//   if (IsShort(dtype)) NarrowAll(results, dtype);
//
// Conversions are recorded where a derivative is to be derived again. Each thread works on its own
// tensors.

#pragma once

#include "autograd/base/dtype.h"
#include "autograd/graph/variable.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// f16 or bf16.
constexpr bool IsShort(DType dtype) { return IsNarrow(dtype) && IsFloating(dtype); }

// f16 and bf16 become f32; what is undefined, sparse or of another type stays.
void Widen(Tensor& tensor);
// What is dense and of f32 becomes `dtype`.
void NarrowAll(VariableList& results, DType dtype);

// derivative(gradient), in f32 where the gradient is short.
template <typename Derivative>
Tensor Widely(const Tensor& gradient, const Derivative& derivative) {
  if (!IsShort(gradient.dtype())) [[likely]]
    return derivative(gradient);
  Tensor wide = gradient;
  Widen(wide);
  VariableList results = {derivative(wide)};
  NarrowAll(results, gradient.dtype());
  return results[0];
}

}  // namespace twingrad::ops
