#include "autograd/tensor/kernels/elementary.h"

#include <limits>

#include "autograd/tensor/kernels/loops.h"

namespace twingrad::kernels {
namespace {

template <typename Function>
Tensor EachFloat(const char* op, const Tensor& a, Function function) {
  return DispatchFloating(op, a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using R = decltype(function(zero));
    return EachStretch<R, T>(a, [&](const T* x, R* z, int64_t count) {
      for (int64_t i = 0; i < count; ++i) z[i] = function(x[i]);
    });
  });
}

Tensor Tested(processor::Test test, const char* op, const Tensor& a) {
  return DispatchFloating(op, a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return EachStretch<bool, T>(a, [&](const T* x, bool* z, int64_t count) {
      processor::LoopsInUse().Of<T>().test(test, x, z, count);
    });
  });
}

}  // namespace

Tensor Clamp(const Tensor& a, double low, double high) {
  return EachFloat("clamp", a, [=](auto x) {
    const auto least = static_cast<decltype(x)>(low), most = static_cast<decltype(x)>(high);
    return x < least ? least : x > most ? most : x;
  });
}

Tensor IsWithin(const Tensor& a, double low, double high) {
  return EachFloat("clamp", a, [=](auto x) {
    constexpr auto kNoLimit = std::numeric_limits<decltype(x)>::infinity();
    const auto least = static_cast<decltype(x)>(low), most = static_cast<decltype(x)>(high);
    return (x > least || least == -kNoLimit) && (x < most || most == kNoLimit);
  });
}

Tensor IsPositive(const Tensor& a) {
  return Tested(processor::Test::kIsPositive, "is_positive", a);
}
Tensor IsZero(const Tensor& a) { return Tested(processor::Test::kIsZero, "is_zero", a); }

}  // namespace twingrad::kernels
