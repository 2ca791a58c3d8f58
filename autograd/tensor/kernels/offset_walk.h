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

// a / b of numbers that are not negative. Where both fit 32 bits, as they mostly do, the division
// is many times shorter on a GPU.
AG_DEVICE inline int64_t Quotient(int64_t a, int64_t b) {
  if (((a | b) >> 32) == 0) return static_cast<uint32_t>(a) / static_cast<uint32_t>(b);
  return a / b;
}

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
      const int64_t rest = d == 0 ? 0 : Quotient(i, sizes[d]);
      const int64_t place = i - rest * sizes[d];
      for (size_t n = 0; n < N; ++n) at.offset[n] += place * strides[n][d];
      i = rest;
    }
    return at;
  }
};

}  // namespace twingrad::kernels
