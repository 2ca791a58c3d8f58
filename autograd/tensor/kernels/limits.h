// What the kernels make of one float and of limits: clamped, tested.
//
//   ClampedTo<float>{0, 1}(2.0f);   // 1
//
// Pure functions, any thread.

#pragma once

#include <limits>

#include "autograd/base/device_code.h"

namespace twingrad::kernels {

template <class T>
struct ClampedTo {
  T least, most;
  AG_DEVICE T operator()(T x) const { return x < least ? least : x > most ? most : x; }
};

// An infinite limit is none.
template <class T>
struct LiesWithin {
  T least, most;
  AG_DEVICE bool operator()(T x) const {
    constexpr T kNoLimit = std::numeric_limits<T>::infinity();
    return (x > least || least == -kNoLimit) && (x < most || most == kNoLimit);
  }
};

struct IsPositiveNumber {
  AG_DEVICE static bool Of(auto x) { return x > 0; }
};

struct IsZeroNumber {
  AG_DEVICE static bool Of(auto x) { return x == 0; }
};

}  // namespace twingrad::kernels
