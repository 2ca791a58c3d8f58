// Functions of one tensor, element by element.
//
//   Tensor c = kernels::Each<ExpNumber>(a);   // exp of each element, by the struct of numbers.h
//
// The result is fresh and contiguous, has the operand's shape and lies on its device. Strided
// operands are fine. No history is recorded; nothing is written but the result. Any thread. A type
// that the function does not take is Error(kDType).

#pragma once

#include <cstdint>

#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/numbers.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::kernels {

// The loop behind the others: function of each element, a T, in the element type of its results.
template <typename T, typename Function>
Tensor EachAs(const Tensor& a, Function function) {
  using R = decltype(function(T()));
  if (a.dim() == 0) {
    Tensor out = Tensor::EmptyScalar(kDTypeOf<R>, a.device());
    *out.data<R>() = function(*a.data<T>());
    return out;
  }
  Tensor out = Tensor::Empty(a.sizes(), kDTypeOf<R>, a.device());
  const T* x = a.data<T>();
  R* z = out.data<R>();
  if (a.IsContiguous()) {
    const int64_t count = a.numel();
    for (int64_t i = 0; i < count; ++i) z[i] = function(x[i]);
    return out;
  }
  ForEachRow<1>(a.sizes(), {StridesFor(a, a.sizes())}, [&](const Row<1>& row) {
    const T* p = x + row.offset[0];
    for (int64_t i = 0; i < row.count; ++i) *z++ = function(p[i * row.step[0]]);
  });
  return out;
}

// Number of each element, in the operand's element type.
template <typename Number>
Tensor Each(const Tensor& a) {
  const auto loop = [&](auto zero) {
    return EachAs<decltype(zero)>(a, [](auto x) { return Number::Of(x); });
  };
  if constexpr (Number::kTakesIntegers) return DispatchNumeric(Number::kName, a.dtype(), loop);
  return DispatchFloating(Number::kName, a.dtype(), loop);
}

// f32, f64, of their type: low where a < low, high where a > high, else a, NaN as well.
Tensor Clamp(const Tensor& a, double low, double high);
// f32, f64 to bool: where low < a < high, an infinite limit being none.
Tensor IsWithin(const Tensor& a, double low, double high);
// f32, f64 to bool: where the element is above 0; where it is 0.
Tensor IsPositive(const Tensor& a);
Tensor IsZero(const Tensor& a);

}  // namespace twingrad::kernels
