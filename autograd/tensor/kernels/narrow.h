// Kernels on narrow types (base/dtype.h): operands are widened, and what they give is narrowed.
//
//   if (IsNarrow(a.dtype()))
//     return Widely([&](const Tensor& wide) { return Sum(wide, dims, keepdim); }, a);
//
// So arithmetic is that of the wide type, and a result is rounded once. Cold functions, so that a
// kernel pays one branch for them. No history; any thread.

#pragma once

#include "autograd/base/dtype.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::kernels {

// f16 and bf16 as f32, i32 as i64; any other as it is, and an undefined one too.
inline Tensor Widened(const Tensor& a) {
  return a.defined() && IsNarrow(a.dtype()) ? kernels::Cast(a, ComputedAs(a.dtype())) : a;
}

// Back to `dtype`; what is of another type than Widened makes of it, as bool is, stays.
inline Tensor Narrowed(const Tensor& wide, DType dtype) {
  return wide.defined() && wide.dtype() == ComputedAs(dtype) ? kernels::Cast(wide, dtype) : wide;
}

// kernel(a, rest...) of narrow tensors of one type. A result of i64 would be taken for one of i32.
template <typename Kernel, typename... Tensors>
[[gnu::noinline, gnu::cold]] Tensor Widely(const Kernel& kernel, const Tensor& a,
                                           const Tensors&... rest) {
  return Narrowed(kernel(Widened(a), Widened(rest)...), a.dtype());
}

}  // namespace twingrad::kernels
