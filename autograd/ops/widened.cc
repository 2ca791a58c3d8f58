#include "autograd/ops/widened.h"

#include "autograd/ops/copy.h"

namespace twingrad::ops {

void Widen(Tensor& tensor) {
  if (!tensor.defined() || tensor.is_sparse() || !IsShort(tensor.dtype())) return;
  tensor = Cast(tensor, DType::kF32);
}

void NarrowAll(VariableList& results, DType dtype) {
  for (Tensor& result : results) {
    if (!result.defined() || result.is_sparse() || result.dtype() != DType::kF32) continue;
    result = Cast(result, dtype);
  }
}

}  // namespace twingrad::ops
