// The elements of tensors as C++ types: float, double, int64_t and bool.
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

namespace twingrad {

// Bytes of one element.
constexpr size_t ElementSize(DType dtype) {
  return dtype == DType::kBool ? 1 : dtype == DType::kF32 ? 4 : 8;
}

template <class T>
inline constexpr DType kDTypeOf = std::is_same_v<T, bool>      ? DType::kBool
                                  : std::is_same_v<T, int64_t> ? DType::kI64
                                  : std::is_same_v<T, float>   ? DType::kF32
                                                               : DType::kF64;

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
    case DType::kBool:
      break;
  }
  return function(bool());
}

// Conversion between element types. Float to integer saturates, NaN is 0; anything but 0 is true.
template <typename To, typename From>
AG_DEVICE To CastNumber(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (std::is_same_v<To, int64_t> && std::is_floating_point_v<From>) {
    if (std::isnan(value)) return 0;
    // 2^63 is a float; the largest int64_t is not.
    constexpr From kLimit = From(9223372036854775808.0);
    if (value >= kLimit) return std::numeric_limits<int64_t>::max();
    if (value < -kLimit) return std::numeric_limits<int64_t>::min();
    return static_cast<int64_t>(value);
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace twingrad
