// Functions of one tensor, element by element.
//
//   Tensor c = kernels::Each<ExpNumber>(a);   // exp of each element, by the struct of numbers.h
//
// The result is fresh and contiguous, has the operand's shape and lies on its device. Strided
// operands are fine. No history is recorded; nothing is written but the result. Any thread. A type
// that the function does not take is Error(kDType).

#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/narrow.h"
#include "autograd/tensor/kernels/numbers.h"
#include "autograd/tensor/kernels/processor/loops.h"
#include "autograd/tensor/kernels/remote_bodies.h"
#include "autograd/tensor/kernels/stretches.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::kernels {

// The loop behind the others: loop(elements, results, count) for stretches of elements that lie
// side by side, T and R. One that takes processor::RowsOf and ResultRows as well is given large
// parts so.
template <typename R, typename T, typename Loop>
Tensor EachStretch(const Tensor& a, Loop loop) {
  Tensor out = a.dim() == 0 ? Tensor::EmptyScalar(kDTypeOf<R>, a.device())
                            : Tensor::Empty(a.sizes(), kDTypeOf<R>, a.device());
  R* z = out.mutable_data<R>();
  if (a.IsContiguous()) {
    loop(a.data<T>(), z, a.numel());
    return out;
  }
  if (a.numel() < kFewElements) {
    const T* x = a.data<T>();
    ForEachElement<1>(a.sizes(), {StridesFor(a, a.sizes())},
                      [&](int64_t p) { loop(x + p, z++, 1); });
    return out;
  }
  ForEachBlock(a.sizes(), {OperandFor(a, a.sizes())}, [&](const Block& block) {
    const Stretch& s = block.first;
    const T* const x = s.From<T>(0);
    if (IsTile(block)) {
      // In one go, for a call a row costs more than its few elements.
      alignas(64) R made[kTile];
      loop(x, made, block.rows * s.count);
      for (int64_t row = 0; row < block.rows; ++row) {
        std::copy_n(made + row * s.count, s.count, z + s.offset + row * block.result_step);
      }
      return;
    }
    const processor::RowsOf<T> rows = block.RowsOf<T>(0);
    const processor::ResultRows<R> results = block.ResultRows(z, out.numel());
    if constexpr (requires { loop(rows, results); }) {
      if (rows.step == 1) return loop(rows, results);
    }
    for (int64_t row = 0; row < results.rows; ++row) {
      const T* const from = rows.first + row * rows.row_step;
      R* const to = results.first + row * results.row_step;
      if (rows.step == 1) {
        loop(from, to, results.count);
      } else {
        loop(from, to, 1);
        std::fill_n(to + 1, results.count - 1, *to);
      }
    }
  });
  return out;
}

template <typename Number, typename T>
inline constexpr bool kIsLoop = HasLoop<Number>&& std::is_floating_point_v<T>;

// Number of elements.
template <typename Number, typename T>
struct EachOf {
  void operator()(const T* x, T* z, int64_t count) const {
    if constexpr (kIsLoop<Number, T>) {
      if (count > 1) return processor::LoopsInUse().Of<T>().unary(Number::kLoop, x, z, count);
    }
    for (int64_t i = 0; i < count; ++i) z[i] = Number::Of(x[i]);
  }
  void operator()(const processor::RowsOf<T>& x,
                  const processor::ResultRows<T>& z) const requires kIsLoop<Number, T> {
    processor::LoopsInUse().Of<T>().unary_rows(Number::kLoop, x, z);
  }
};

// Number of each element, in the operand's element type.
template <typename Number>
Tensor Each(const Tensor& a) {
  if (IsNarrow(a.dtype())) [[unlikely]]
    return Widely(Each<Number>, a);
  const auto each = [&](auto zero) {
    using T = decltype(zero);
    if (IsRemote(a)) [[unlikely]]
      return RemoteMap<T, T>(Number::kName, Apply<Number>(), a.sizes(), a);
    return EachStretch<T, T>(a, EachOf<Number, T>());
  };
  if constexpr (Number::kTakesIntegers) return DispatchNumeric(Number::kName, a.dtype(), each);
  return DispatchFloating(Number::kName, a.dtype(), each);
}

// Of floats, in their type: low where a < low, high where a > high, else a, NaN as well.
Tensor Clamp(const Tensor& a, double low, double high);
// Of floats, in their type: derivative `order`, of 0 or more, of sin(πa) / (πa).
Tensor Sinc(const Tensor& a, int order);
// Of floats, to bool: where low < a < high, an infinite limit being none.
Tensor IsWithin(const Tensor& a, double low, double high);
// Of floats, to bool: where the element is above 0; where it is 0.
Tensor IsPositive(const Tensor& a);
Tensor IsZero(const Tensor& a);

}  // namespace twingrad::kernels
