// ExactPower: a^b where it is a number of the format, by products none of which rounds.
//
//   double power;
//   if (!ExactPower(3, 2, &power)) power = std::pow(3, 2);
//
// The C library's pow gives those numbers by itself, CUDA's may be a unit beside them. b is whole;
// of powers next to the smallest numbers it finds none. Pure, any thread.

#pragma once

#include <cmath>

#include "autograd/base/device_code.h"

namespace twingrad::kernels {

// Whether q = x y without rounding: the rest of the product, which is a number too unless the
// product is among the smallest, is 0.
AG_DEVICE inline bool IsWholeProduct(double x, double y, double q) {
  return std::isfinite(q) && std::fabs(q) >= 0x1p-960 && std::fma(x, y, -q) == 0;
}

AG_DEVICE inline bool ExactPower(double a, double b, double* power) {
  constexpr double kMost = 1100;  // beyond, there are powers of 1 and of -1 alone
  if (b != std::trunc(b) || !(std::fabs(b) <= kMost) || !std::isfinite(a) || a == 0) return false;
  double product = 1, square = a;
  for (auto rest = static_cast<unsigned>(std::fabs(b)); rest != 0;) {
    if ((rest & 1) != 0) {
      const double next = product * square;
      if (!IsWholeProduct(product, square, next)) return false;
      product = next;
    }
    rest >>= 1;
    if (rest == 0) break;
    const double next = square * square;
    if (!IsWholeProduct(square, square, next)) return false;
    square = next;
  }
  if (b < 0) {
    const double inverse = 1 / product;
    if (std::fma(inverse, product, -1.0) != 0) return false;
    product = inverse;
  }
  *power = product;
  return true;
}

}  // namespace twingrad::kernels
