// The meaning of the rarer functions of two elements, as those of numbers.h: masks and weights that
// derivatives multiply by among them.
//
//   Atan2Number::Of(1.0, 2.0);
//
// Pure functions, any thread.

#pragma once

#include <cmath>
#include <cstdlib>
#include <limits>

#include "autograd/base/device_code.h"
#include "autograd/tensor/kernels/numbers.h"

namespace twingrad::kernels {

struct MaximumWeightNumber {
  template <typename T>
  AG_DEVICE static T Of(T a, T b) {
    return a == b ? T(0.5) : (a < b ? T(0) : T(1));
  }
};

struct GatedNumber {
  static constexpr processor::Binary kLoop = processor::Binary::kGated;

  template <typename T>
  AG_DEVICE static T Of(T a, T gate) {
    return gate > 0 ? a : T(0);
  }
};

struct EqualNumber {
  AG_DEVICE static bool Of(auto a, auto b) { return a == b; }
};

struct LogAddExpNumber {
  template <typename T>
  AG_DEVICE static T Of(T a, T b) {
    if (std::isnan(a) || std::isnan(b)) return a + b;
    const T greater = a < b ? b : a, lesser = a < b ? a : b;
    if (std::isinf(greater) || std::isinf(lesser)) return greater;
    return greater + std::log1p(std::exp(lesser - greater));
  }
};

struct Atan2Number {
  AG_DEVICE static auto Of(auto a, auto b) {
    return InDouble([](double x, double y) { return std::atan2(x, y); }, a, b);
  }
};

struct XLogYNumber {
  AG_DEVICE static auto Of(auto a, auto b) {
    return InDouble(
        [](double x, double y) { return x == 0 && !std::isnan(y) ? 0 : x * LogNumber::Of(y); }, a,
        b);
  }
};

// C's fmod: the sign of a.
struct FmodNumber {
  AG_DEVICE static auto Of(auto a, auto b) {
    return InDouble([](double x, double y) { return std::fmod(x, y); }, a, b);
  }
};

// Python's %: the sign of b.
struct RemainderNumber {
  AG_DEVICE static double OfDouble(double a, double b) {
    const double rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
  AG_DEVICE static auto Of(auto a, auto b) {
    return InDouble([](double x, double y) { return OfDouble(x, y); }, a, b);
  }
};

// The whole number n of fmod(a, b) = a - n b and, floored, of remainder. The quotient itself may be
// rounded to the next whole number; what is left of a after fmod leaves only n to be rounded.
struct TruncatedQuotientNumber {
  AG_DEVICE static double OfDouble(double a, double b) {
    const double whole = (a - std::fmod(a, b)) / b;
    return std::fabs(whole) < 0x1p51 ? std::nearbyint(whole) : whole;
  }
  AG_DEVICE static auto Of(auto a, auto b) {
    return InDouble([](double x, double y) { return OfDouble(x, y); }, a, b);
  }
};

struct FlooredQuotientNumber {
  AG_DEVICE static double OfDouble(double a, double b) {
    const double rest = std::fmod(a, b), whole = TruncatedQuotientNumber::OfDouble(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? whole - 1 : whole;
  }
  AG_DEVICE static auto Of(auto a, auto b) {
    return InDouble([](double x, double y) { return OfDouble(x, y); }, a, b);
  }
};

struct ScaleOfSquaresNumber {
  template <typename T>
  AG_DEVICE static T Of(T a, T b) {
    using Limits = std::numeric_limits<T>;
    const T greater = std::fmin(std::fmax(std::fabs(a), std::fabs(b)), Limits::max());
    if (greater == 0) return greater;
    const int exponent = std::ilogb(greater);
    return std::abs(exponent) < Limits::max_exponent / 4 ? T(1) : std::ldexp(T(1), exponent);
  }
};

struct PowIsFlatInBaseNumber {
  AG_DEVICE static bool Of(auto a, auto b) { return b == 0 && (a == 0 || std::isnan(a)); }
};

struct PowIsSteepInBaseNumber {
  AG_DEVICE static bool Of(auto a, auto b) { return b == 0 && a != 0 && std::isinf(1 / a); }
};

struct PowIsFlatInExponentNumber {
  AG_DEVICE static bool Of(auto a, auto b) { return a == 0 && b >= 0; }
};

}  // namespace twingrad::kernels
