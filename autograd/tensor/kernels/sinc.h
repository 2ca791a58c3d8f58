// sinc, sin(πx) / (πx), and its derivatives of any order, at one element.
//
//   SincDerivative<double>{1}(0.5);   // the slope at 1/2
//
// Pure functions, any thread.

#pragma once

#include <cmath>
#include <numbers>

#include "autograd/base/device_code.h"

namespace twingrad::kernels {

// sin(πx + kπ/2), of x reduced without error first.
AG_DEVICE inline double SinOfTurns(double x, int k) {
  const double turn = std::remainder(x, 2.0);  // from -1 to 1
  const double away = std::fabs(turn);
  double s = std::sin(std::numbers::pi * (away > 0.5 ? 1 - away : away));
  double c = std::sin(std::numbers::pi * (0.5 - away));
  if (turn < 0) s = -s;
  return k % 4 == 0 ? s : k % 4 == 1 ? c : k % 4 == 2 ? -s : -c;
}

// f_n, derivative n of f_0 = sinc. By Leibniz' rule x f_n + n f_(n-1) = π^(n-1) sin(πx + nπ/2);
// near 0, where that cancels, by the Taylor series of f_0.
AG_DEVICE inline double SincByRecurrence(double x, int n) {
  double scale = 1 / std::numbers::pi, f = SinOfTurns(x, 0) * scale / x;
  for (int k = 1; k <= n; ++k) {
    scale *= std::numbers::pi;
    f = (scale * SinOfTurns(x, k) - k * f) / x;
  }
  return f;
}

// The terms (-1)^k π^(2k) x^(2k-n) / ((2k+1) (2k-n)!), in which |x| is at most 1.
AG_DEVICE inline double SincBySeries(double x, int n) {
  const int first = n % 2;  // the lowest power of x
  double term = (n + first) / 2 % 2 == 0 ? 1 : -1;
  for (int i = 0; i < n + first; ++i) term *= std::numbers::pi;
  if (first == 1) term *= x;
  const double step = -(std::numbers::pi * x) * (std::numbers::pi * x);
  double sum = 0;
  for (int m = first; m < first + 40; m += 2) {
    sum += term / (n + m + 1);
    term *= step / ((m + 1) * (m + 2));
  }
  return sum;
}

template <class T>
struct SincDerivative {
  T order;
  AG_DEVICE T operator()(T a) const {
    const double x = a;
    const int n = static_cast<int>(order);
    if (std::isinf(x)) return 0;
    if (n == 0) return static_cast<T>(x == 0 ? 1 : SincByRecurrence(x, 0));
    return static_cast<T>(std::fabs(x) > 1 ? SincByRecurrence(x, n) : SincBySeries(x, n));
  }
};

}  // namespace twingrad::kernels
