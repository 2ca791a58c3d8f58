// The meaning of every elementary operation on one element, as the kernels apply it.
//
//   ExpNumber::Of(2.0f);
//
// Arithmetic of int64_t wraps (computed as uint64_t). exp, log, tanh and sigmoid of floats are
// those of the loops for this processor (processor/loops.h), for one element and for a million
// alike, so that a value does not depend on the size of the tensor that holds it; pow, sin, erf and
// the like are the C library's. Conversions are in ../element.h.
//
// Each operation is a stateless struct with a static Of(); loops take it as a template argument.
// One of a single operand also says its name in program text and, by its base, its element types:
// it is all that kernels::Each needs. kLoop names the loop over many floats with the same bits,
// where there is one. Written apart from the twin's rules on purpose: the two are compared. Pure
// functions, any thread.

#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <type_traits>

#include "autograd/base/device_code.h"
#include "autograd/tensor/element.h"  // IWYU pragma: export
#include "autograd/tensor/kernels/exact_power.h"
#include "autograd/tensor/kernels/processor/loops.h"

namespace twingrad::kernels {

AG_DEVICE inline int64_t Wrap(uint64_t bits) { return static_cast<int64_t>(bits); }
AG_DEVICE inline uint64_t Unsigned(int64_t value) { return static_cast<uint64_t>(value); }

// The element types of an operation: f32, f64 and i64, and those computed as such; or without i64.
struct OnNumbers {
  static constexpr bool kTakesIntegers = true;
};
struct OnFloats {
  static constexpr bool kTakesIntegers = false;
};

// Whether an operation of floats has a loop of its own.
template <typename Number>
concept HasLoop = requires {
  Number::kLoop;
};

struct AddNumber {
  static constexpr processor::Binary kLoop = processor::Binary::kAdd;
  template <typename T>
  AG_DEVICE static T Of(T a, T b) {
    if constexpr (std::is_integral_v<T>) return Wrap(Unsigned(a) + Unsigned(b));
    return a + b;
  }
};

struct SubNumber {
  static constexpr processor::Binary kLoop = processor::Binary::kSub;
  template <typename T>
  AG_DEVICE static T Of(T a, T b) {
    if constexpr (std::is_integral_v<T>) return Wrap(Unsigned(a) - Unsigned(b));
    return a - b;
  }
};

struct MulNumber {
  static constexpr processor::Binary kLoop = processor::Binary::kMul;
  template <typename T>
  AG_DEVICE static T Of(T a, T b) {
    if constexpr (std::is_integral_v<T>) return Wrap(Unsigned(a) * Unsigned(b));
    return a * b;
  }
};

struct DivNumber {
  static constexpr processor::Binary kLoop = processor::Binary::kDiv;
  AG_DEVICE static auto Of(auto a, auto b) { return a / b; }
};

struct PowNumber {
  // Integers: by squaring, wrapping; the caller has refused negative exponents.
  template <typename T>
  AG_DEVICE static T Of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      uint64_t result = 1;
      uint64_t square = Unsigned(a);
      for (uint64_t rest = Unsigned(b); rest != 0; rest >>= 1) {
        if (rest & 1) result *= square;
        square *= square;
      }
      return Wrap(result);
    } else {
#if defined(__CUDA_ARCH__)
      const double x = a, y = b;
      double power;
      return static_cast<T>(ExactPower(x, y, &power) ? power : std::pow(x, y));
#else
      return std::pow(a, b);
#endif
    }
  }
};

// A NaN on either side is the result.
template <bool kLeast>
struct ExtremeNumber {
  static constexpr processor::Binary kLoop =
      kLeast ? processor::Binary::kMinimum : processor::Binary::kMaximum;
  template <typename T>
  AG_DEVICE static T Of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(a)) return a;
      if (std::isnan(b)) return b;
    }
    return (kLeast ? b < a : a < b) ? b : a;
  }
};
using MaximumNumber = ExtremeNumber<false>;
using MinimumNumber = ExtremeNumber<true>;

// The function of one float that a loop computes; on a GPU that of its library.
template <typename T>
AG_DEVICE T ByLoop(processor::Unary op, T a) {
#if defined(__CUDA_ARCH__)
  switch (op) {
    case processor::Unary::kExp:
      return std::exp(a);
    case processor::Unary::kLog:
      return std::log(a);
    case processor::Unary::kTanh:
      return std::tanh(a);
    default: {  // kSigmoid
      const T power = std::exp(-std::fabs(a));
      return (a < 0 ? power : T(1)) / (1 + power);
    }
  }
#else
  T result;
  processor::LoopsInUse().Of<T>().unary(op, &a, &result, 1);
  return result;
#endif
}

// A function of double; of f32 its result is rounded once more, which makes it as good as exact:
// the C library's functions of float are off by up to 2 units in the last place.
template <typename Function, typename... T>
AG_DEVICE auto InDouble(Function function, T... a) {
  return static_cast<std::common_type_t<T...>>(function(static_cast<double>(a)...));
}

struct NegNumber : OnNumbers {
  static constexpr processor::Unary kLoop = processor::Unary::kNeg;
  static constexpr const char* kName = "neg";
  template <typename T>
  AG_DEVICE static T Of(T a) {
    if constexpr (std::is_integral_v<T>) return Wrap(0 - Unsigned(a));
    return -a;
  }
};

struct AbsNumber : OnNumbers {
  static constexpr processor::Unary kLoop = processor::Unary::kAbs;
  static constexpr const char* kName = "abs";
  template <typename T>
  AG_DEVICE static T Of(T a) {
    if constexpr (std::is_integral_v<T>) return a < 0 ? NegNumber::Of(a) : a;
    return std::fabs(a);
  }
};

struct ReluNumber : OnNumbers {
  static constexpr processor::Unary kLoop = processor::Unary::kRelu;
  static constexpr const char* kName = "relu";
  // NaN stays NaN; -0 becomes 0.
  template <typename T>
  AG_DEVICE static T Of(T a) {
    return a > T(0) ? a : (a != a ? a : T(0));
  }
};

struct SgnNumber : OnNumbers {
  static constexpr const char* kName = "sgn";
  // (a > 0) - (a < 0): 0 for NaN.
  template <typename T>
  AG_DEVICE static T Of(T a) {
    return static_cast<T>(static_cast<int>(a > T(0)) - static_cast<int>(a < T(0)));
  }
};

struct ExpNumber : OnFloats {
  static constexpr processor::Unary kLoop = processor::Unary::kExp;
  static constexpr const char* kName = "exp";
  AG_DEVICE static auto Of(auto a) { return ByLoop(kLoop, a); }
};

struct LogNumber : OnFloats {
  static constexpr processor::Unary kLoop = processor::Unary::kLog;
  static constexpr const char* kName = "log";
  AG_DEVICE static auto Of(auto a) { return ByLoop(kLoop, a); }
};

struct SqrtNumber : OnFloats {
  static constexpr processor::Unary kLoop = processor::Unary::kSqrt;
  static constexpr const char* kName = "sqrt";
  AG_DEVICE static auto Of(auto a) { return std::sqrt(a); }
};

struct SinNumber : OnFloats {
  static constexpr const char* kName = "sin";
  AG_DEVICE static auto Of(auto a) { return std::sin(a); }
};

struct CosNumber : OnFloats {
  static constexpr const char* kName = "cos";
  AG_DEVICE static auto Of(auto a) { return std::cos(a); }
};

struct TanNumber : OnFloats {
  static constexpr const char* kName = "tan";
  AG_DEVICE static auto Of(auto a) {
    return InDouble([](double x) { return std::tan(x); }, a);
  }
};

struct AsinNumber : OnFloats {
  static constexpr const char* kName = "asin";
  AG_DEVICE static auto Of(auto a) { return std::asin(a); }
};

struct AcosNumber : OnFloats {
  static constexpr const char* kName = "acos";
  AG_DEVICE static auto Of(auto a) { return std::acos(a); }
};

struct AtanNumber : OnFloats {
  static constexpr const char* kName = "atan";
  AG_DEVICE static auto Of(auto a) { return std::atan(a); }
};

struct SinhNumber : OnFloats {
  static constexpr const char* kName = "sinh";
  AG_DEVICE static auto Of(auto a) {
    return InDouble([](double x) { return std::sinh(x); }, a);
  }
};

struct CoshNumber : OnFloats {
  static constexpr const char* kName = "cosh";
  AG_DEVICE static auto Of(auto a) { return std::cosh(a); }
};

struct AsinhNumber : OnFloats {
  static constexpr const char* kName = "asinh";
  AG_DEVICE static auto Of(auto a) {
    return InDouble([](double x) { return std::asinh(x); }, a);
  }
};

struct AcoshNumber : OnFloats {
  static constexpr const char* kName = "acosh";
  AG_DEVICE static auto Of(auto a) {
    return InDouble([](double x) { return std::acosh(x); }, a);
  }
};

struct AtanhNumber : OnFloats {
  static constexpr const char* kName = "atanh";
  AG_DEVICE static auto Of(auto a) {
    return InDouble([](double x) { return std::atanh(x); }, a);
  }
};

struct ErfcNumber : OnFloats {
  static constexpr const char* kName = "erfc";
  // The C library's of double may be off by 2.5 units; its own of long double is rounded once.
  AG_DEVICE static float Of(float a) {
    return InDouble([](double x) { return std::erfc(x); }, a);
  }
  AG_DEVICE static double Of(double a) {
#ifdef __CUDA_ARCH__  // has no long double
    return std::erfc(a);
#else
    return static_cast<double>(std::erfc(static_cast<long double>(a)));
#endif
  }
};

struct ErfNumber : OnFloats {
  static constexpr const char* kName = "erf";
  AG_DEVICE static auto Of(auto a) { return std::erf(a); }
};

struct Expm1Number : OnFloats {
  static constexpr const char* kName = "expm1";
  AG_DEVICE static auto Of(auto a) { return std::expm1(a); }
};

struct Log1pNumber : OnFloats {
  static constexpr const char* kName = "log1p";
  AG_DEVICE static auto Of(auto a) { return std::log1p(a); }
};

struct Log2Number : OnFloats {
  static constexpr const char* kName = "log2";
  AG_DEVICE static auto Of(auto a) { return std::log2(a); }
};

struct Log10Number : OnFloats {
  static constexpr const char* kName = "log10";
  AG_DEVICE static auto Of(auto a) {
    return InDouble([](double x) { return std::log10(x); }, a);
  }
};

struct Exp2Number : OnFloats {
  static constexpr const char* kName = "exp2";
  AG_DEVICE static auto Of(auto a) { return std::exp2(a); }
};

struct RsqrtNumber : OnFloats {
  static constexpr const char* kName = "rsqrt";
  AG_DEVICE static auto Of(auto a) {
    return InDouble([](double x) { return 1 / std::sqrt(x); }, a);
  }
};

struct ReciprocalNumber : OnFloats {
  static constexpr const char* kName = "reciprocal";
  AG_DEVICE static auto Of(auto a) { return decltype(a)(1) / a; }
};

struct SquareNumber : OnNumbers {
  static constexpr const char* kName = "square";
  AG_DEVICE static auto Of(auto a) { return MulNumber::Of(a, a); }
};

struct TanhNumber : OnFloats {
  static constexpr processor::Unary kLoop = processor::Unary::kTanh;
  static constexpr const char* kName = "tanh";
  AG_DEVICE static auto Of(auto a) { return ByLoop(kLoop, a); }
};

struct SigmoidNumber : OnFloats {
  static constexpr processor::Unary kLoop = processor::Unary::kSigmoid;
  static constexpr const char* kName = "sigmoid";
  AG_DEVICE static auto Of(auto a) { return ByLoop(kLoop, a); }
};

// a times the part of it that passes, `share` of [0, 1]; the limit, 0, at the infinity that it
// stops.
template <typename T>
AG_DEVICE T Gated(T a, T share) {
  return share == T(0) ? T(0) : a * share;
}

// a times sigmoid(z), by whose root where that loses digits to underflow.
AG_DEVICE inline double GatedBySigmoid(double a, double z) {
  if (!(z < -700)) return Gated(a, SigmoidNumber::Of(z));
  const double root = ExpNumber::Of(z / 2);
  return root == 0 ? 0 : a * root * root;
}

struct SiluNumber : OnFloats {
  static constexpr const char* kName = "silu";
  AG_DEVICE static auto Of(auto a) {
    return InDouble([](double x) { return GatedBySigmoid(x, x); }, a);
  }
};

struct SoftplusNumber : OnFloats {
  static constexpr const char* kName = "softplus";
  // No exponential overflows.
  template <typename T>
  AG_DEVICE static T Of(T a) {
    return (a < T(0) ? T(0) : a) + std::log1p(ExpNumber::Of(-std::fabs(a)));
  }
};

struct GeluNumber : OnFloats {
  static constexpr const char* kName = "gelu";
  // By erfc: 1 + erf loses the digits of its small results.
  AG_DEVICE static auto Of(auto a) {
    return InDouble(
        [](double x) { return Gated(x, std::erfc(-x * (std::numbers::sqrt2 / 2)) / 2); }, a);
  }
};

struct GeluTanhNumber : OnFloats {
  static constexpr const char* kName = "gelu_tanh";
  // By (1 + tanh z) / 2 = sigmoid(2 z), for the same reason.
  AG_DEVICE static auto Of(auto a) {
    constexpr double kScale = 2 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
    return InDouble([](double x) { return GatedBySigmoid(x, kScale * (x + 0.044715 * x * x * x)); },
                    a);
  }
};

}  // namespace twingrad::kernels
