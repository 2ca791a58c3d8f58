// The elements of tensors as C++ types: float, double, int64_t, bool, Half, BFloat16 and int32_t.
//
//   DispatchAll(t.dtype(), [&](auto zero) { std::fill_n(t.data<decltype(zero)>(), ...); });
//
// Pure functions, any thread.

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "autograd/base/device_code.h"
#include "autograd/base/dtype.h"
#include "autograd/base/half.h"

namespace twingrad {

// Bytes of one element.
constexpr size_t ElementSize(DType dtype) {
  constexpr uint8_t kSizes[] = {4, 8, 8, 1, 2, 2, 4};
  return kSizes[static_cast<int>(dtype)];
}

template <class T>
inline constexpr DType kDTypeOf = std::is_same_v<T, bool>       ? DType::kBool
                                  : std::is_same_v<T, int64_t>  ? DType::kI64
                                  : std::is_same_v<T, int32_t>  ? DType::kI32
                                  : std::is_same_v<T, float>    ? DType::kF32
                                  : std::is_same_v<T, Half>     ? DType::kF16
                                  : std::is_same_v<T, BFloat16> ? DType::kBF16
                                                                : DType::kF64;

// Of the types that IsNarrow tells.
template <class T>
inline constexpr bool kIsNarrow = IsNarrow(kDTypeOf<T>);

template <class T>
inline constexpr bool kIsShortFloat = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

// Calls function(T()) with the C++ type of `dtype`.
template <typename Function>
decltype(auto) DispatchAll(DType dtype, Function&& function) {
  switch (dtype) {
    case DType::kF32:
      return function(float());
    case DType::kF64:
      return function(double());
    case DType::kI64:
      return function(int64_t());
    case DType::kF16:
      return function(Half());
    case DType::kBF16:
      return function(BFloat16());
    case DType::kI32:
      return function(int32_t());
    case DType::kBool:
      break;
  }
  return function(bool());
}

// Whether kernels convert at once. A narrow type goes to itself and to what it is computed as; to
// others by way of that, which is as exact.
template <class To, class From>
inline constexpr bool kConvertsAtOnce =
    !kIsNarrow<From> || std::is_same_v<To, From> || kDTypeOf<To> == ComputedAs(kDTypeOf<From>);

// Conversion between element types: floats are rounded once, float to integer saturates, NaN is 0;
// i64 to i32 keeps the low 32 bits; anything but 0 is true.
template <typename To, typename From>
AG_DEVICE To CastNumber(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (kIsShortFloat<From>) {
    return CastNumber<To>(static_cast<float>(value));
  } else if constexpr (kIsShortFloat<To>) {
    return To::Of(value);
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    using Limits = std::numeric_limits<To>;
    if (std::isnan(value)) return 0;
    // The limit below is a float; the one above may not be, and one more is.
    constexpr From kEnd = -static_cast<From>(Limits::min());
    if (value >= kEnd) return Limits::max();
    if (value < -kEnd) return Limits::min();
    return static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace twingrad
