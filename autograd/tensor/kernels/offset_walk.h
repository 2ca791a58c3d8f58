// OffsetWalk<N>: where the elements of N strided operands of one shape lie, as bodies (../body.h)
// ask.
//
//   const auto at = walk.At(i);     // element i in row-major order: at.offset[n] of operand n
//
// A plain value, that is copied to a device with the body that holds it. WalkOver in
// remote_bodies.h makes one.

#pragma once

#include <cstddef>
#include <cstdint>

#include "autograd/base/device_code.h"

namespace twingrad::kernels {

// Of dimensions that lie side by side in all operands one is made, so few tensors have as many.
inline constexpr int kMostWalked = 12;

template <size_t N>
struct Offsets {
  int64_t offset[N == 0 ? 1 : N];
};

template <size_t N>
struct OffsetWalk {
  int rank = 0;
  int64_t count = 1;  // of elements
  int64_t sizes[kMostWalked];
  int64_t strides[N][kMostWalked];

  AG_DEVICE Offsets<N> At(int64_t i) const {
    Offsets<N> at{};
    for (int d = rank; d-- > 0;) {
      const int64_t rest = i / sizes[d];
      const int64_t place = i - rest * sizes[d];
      for (size_t n = 0; n < N; ++n) at.offset[n] += place * strides[n][d];
      i = rest;
    }
    return at;
  }
};

}  // namespace twingrad::kernels
