#include "autograd/tensor/kernels/elementary.h"

#include <limits>

#include "autograd/tensor/kernels/loops.h"

namespace twingrad::kernels {
namespace {

template <typename Function>
Tensor EachFloat(const char* op, const Tensor& a, Function function) {
  return DispatchFloating(op, a.dtype(),
                          [&](auto zero) { return EachAs<decltype(zero)>(a, function); });
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
  return EachFloat("is_positive", a, [](auto x) { return x > 0; });
}
Tensor IsZero(const Tensor& a) {
  return EachFloat("is_zero", a, [](auto x) { return x == 0; });
}

}  // namespace twingrad::kernels
