#include "autograd/tensor/kernels/elementary.h"

#include <limits>

#include "autograd/tensor/kernels/loops.h"

namespace twingrad::kernels {
namespace {

struct IsPositiveNumber {
  template <typename T>
  static bool Of(T a) {
    return a > T(0);
  }
};

struct IsZeroNumber {
  template <typename T>
  static bool Of(T a) {
    return a == T(0);
  }
};

template <typename Number>
Tensor Mask(const char* op, const Tensor& a) {
  return DispatchFloating(op, a.dtype(), [&](auto zero) {
    return EachAs<Number, bool, decltype(zero)>(a, DType::kBool);
  });
}

// function(x, low, high) of each element as an R, the limits in the operand's type.
template <typename R, typename T, typename Function>
void WithLimits(const Tensor& a, double low, double high, Tensor& out, Function function) {
  const T least = static_cast<T>(low), most = static_cast<T>(high);
  const T* x = a.data<T>();
  R* z = out.data<R>();
  ForEachRow<1>(a.sizes(), {StridesFor(a, a.sizes())}, [&](const Row<1>& row) {
    const T* p = x + row.offset[0];
    for (int64_t i = 0; i < row.count; ++i) *z++ = function(p[i * row.step[0]], least, most);
  });
}

}  // namespace

Tensor Clamp(const Tensor& a, double low, double high) {
  Tensor out = Tensor::Empty(a.sizes(), a.dtype(), a.device());
  DispatchFloating("clamp", a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    WithLimits<T, T>(a, low, high, out, [](T x, T l, T h) { return x < l ? l : x > h ? h : x; });
  });
  return out;
}

Tensor IsWithin(const Tensor& a, double low, double high) {
  Tensor out = Tensor::Empty(a.sizes(), DType::kBool, a.device());
  DispatchFloating("clamp", a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    WithLimits<bool, T>(a, low, high, out, [](T x, T l, T h) {
      constexpr T kNoLimit = std::numeric_limits<T>::infinity();
      return (x > l || l == -kNoLimit) && (x < h || h == kNoLimit);
    });
  });
  return out;
}

Tensor IsPositive(const Tensor& a) { return Mask<IsPositiveNumber>("is_positive", a); }
Tensor IsZero(const Tensor& a) { return Mask<IsZeroNumber>("is_zero", a); }

}  // namespace twingrad::kernels
