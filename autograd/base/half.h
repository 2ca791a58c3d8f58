// f16 and bf16 as C++ types: numbers for storage, which are converted to be computed with.
//
//   Half h(0.1f);            // 0.0999755859375
//   float f = h;
//   BFloat16 b = BFloat16::Of(x);   // of a float, double or integer, rounded once
//
// Conversions round to nearest, ties to even; what is beyond the format becomes infinite; NaN stays
// NaN. Pure functions for host and device. Of no library: installed headers name no types of
// others, and those round a double twice, by way of float.
//
// Half is IEEE 754 binary16: 5 bits of exponent, 10 of fraction. BFloat16 is the upper half of a
// binary32: 8 bits of exponent, 7 of fraction.

#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>

#include "autograd/base/device_code.h"

namespace twingrad {

// The float next to x towards zero, with a last bit of 1, where x is no float; else x. Rounded
// further to fewer digits it gives what x itself would: "round to odd" of S. Boldo and
// G. Melquiond, "Emulation of FMA and correctly rounded sums", IEEE Transactions on Computers 57,
// 2008.
AG_DEVICE constexpr float RoundedToOdd(double x) {
  const float nearest = static_cast<float>(x);
  const double back = nearest;
  if (back == x || !(back - back == 0)) {
    // Exact or NaN; or beyond the format, as it is in the shorter ones.
    return nearest;
  }
  const bool is_above = x < 0 ? back < x : back > x;
  const uint32_t bits = std::bit_cast<uint32_t>(nearest);
  return std::bit_cast<float>((is_above ? bits - 1 : bits) | 1);
}
AG_DEVICE constexpr float RoundedToOdd(float x) { return x; }
template <std::integral T>
AG_DEVICE constexpr float RoundedToOdd(T x) {
  // 24 bits from the first on are a float; what follows them only counts as more than nothing.
  const int64_t whole = x;
  uint64_t rest = whole < 0 ? 0 - static_cast<uint64_t>(whole) : static_cast<uint64_t>(whole);
  float scale = whole < 0 ? -1.0f : 1.0f;
  uint64_t lost = 0;
  while (rest >> 24 != 0) {
    lost |= rest & 1;
    rest >>= 1;
    scale *= 2;
  }
  return static_cast<float>(rest | lost) * scale;
}

struct Half {
  uint16_t bits = 0;

  Half() = default;
  AG_DEVICE constexpr explicit Half(float x) : bits(BitsOf(x)) {}
  template <typename T>
  AG_DEVICE static constexpr Half Of(T x) {
    return Half(RoundedToOdd(x));
  }

  // NOLINTNEXTLINE(google-explicit-constructor): every Half is a float.
  AG_DEVICE constexpr operator float() const {
    const uint32_t sign = uint32_t{bits} >> 15 << 31;
    const uint32_t magnitude = bits & 0x7fff;
    // Subnormal numbers are multiples of 2^-24; exponents are 112 lower than a float's.
    const float value = magnitude < 0x400 ? static_cast<float>(magnitude) * 0x1p-24f
                        : magnitude < 0x7c00
                            ? std::bit_cast<float>((magnitude << 13) + (uint32_t{112} << 23))
                            : std::bit_cast<float>(uint32_t{0x7f800000} | magnitude << 13);
    return std::bit_cast<float>(std::bit_cast<uint32_t>(value) | sign);
  }

 private:
  AG_DEVICE static constexpr uint16_t BitsOf(float x) {
    const uint32_t whole = std::bit_cast<uint32_t>(x);
    const uint32_t sign = whole >> 31 << 15;
    const uint32_t magnitude = whole & 0x7fffffff;
    uint32_t half = 0;
    if (magnitude > 0x7f800000) {
      half = 0x7e00;
    } else if (magnitude >= 0x477ff000) {
      half = 0x7c00;  // from half a unit above the largest on
    } else if (magnitude < 0x38800000) {
      // A float from 0.5 to 1 has a last place of 2^-24, as a subnormal Half has.
      half = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000;
    } else {
      const uint32_t is_odd = magnitude >> 13 & 1;
      half = (magnitude + 0xfff + is_odd - (uint32_t{112} << 23)) >> 13;
    }
    return static_cast<uint16_t>(sign | half);
  }
};

struct BFloat16 {
  uint16_t bits = 0;

  BFloat16() = default;
  AG_DEVICE constexpr explicit BFloat16(float x) : bits(BitsOf(x)) {}
  template <typename T>
  AG_DEVICE static constexpr BFloat16 Of(T x) {
    return BFloat16(RoundedToOdd(x));
  }

  // NOLINTNEXTLINE(google-explicit-constructor): every BFloat16 is a float.
  AG_DEVICE constexpr operator float() const { return std::bit_cast<float>(uint32_t{bits} << 16); }

 private:
  AG_DEVICE static constexpr uint16_t BitsOf(float x) {
    const uint32_t whole = std::bit_cast<uint32_t>(x);
    if ((whole & 0x7fffffff) > 0x7f800000) return static_cast<uint16_t>(whole >> 16 | 0x40);
    const uint32_t is_odd = whole >> 16 & 1;
    return static_cast<uint16_t>((whole + 0x7fff + is_odd) >> 16);
  }
};

}  // namespace twingrad
