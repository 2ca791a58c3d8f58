#include "autograd/tensor/kernels/elementary.h"

#include "autograd/tensor/kernels/limits.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/narrow.h"
#include "autograd/tensor/kernels/sinc.h"

namespace twingrad::kernels {
namespace {

// Function<T> of each element.
template <template <class> class Function, typename... Limits>
Tensor EachFloat(const char* op, const Tensor& a, Limits... limits) {
  if (IsNarrow(a.dtype())) [[unlikely]] {
    return Widely([=](const Tensor& wide) { return EachFloat<Function>(op, wide, limits...); }, a);
  }
  return DispatchFloating(op, a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const Function<T> function{static_cast<T>(limits)...};
    using R = decltype(function(zero));
    if (IsRemote(a)) [[unlikely]]
      return RemoteMap<R, T>(op, function, a.sizes(), a);
    return EachStretch<R, T>(a, [&](const T* x, R* z, int64_t count) {
      for (int64_t i = 0; i < count; ++i) z[i] = function(x[i]);
    });
  });
}

template <typename Number>
Tensor Tested(processor::Test test, const char* op, const Tensor& a) {
  if (IsNarrow(a.dtype())) [[unlikely]]
    return Tested<Number>(test, op, Widened(a));
  return DispatchFloating(op, a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if (IsRemote(a)) [[unlikely]]
      return RemoteMap<bool, T>(op, Apply<Number>(), a.sizes(), a);
    return EachStretch<bool, T>(a, [&](const T* x, bool* z, int64_t count) {
      processor::LoopsInUse().Of<T>().test(test, x, z, count);
    });
  });
}

}  // namespace

Tensor Clamp(const Tensor& a, double low, double high) {
  return EachFloat<ClampedTo>("clamp", a, low, high);
}

Tensor Sinc(const Tensor& a, int order) { return EachFloat<SincDerivative>("sinc", a, order); }

Tensor IsWithin(const Tensor& a, double low, double high) {
  return EachFloat<LiesWithin>("clamp", a, low, high);
}

Tensor IsPositive(const Tensor& a) {
  return Tested<IsPositiveNumber>(processor::Test::kIsPositive, "is_positive", a);
}
Tensor IsZero(const Tensor& a) {
  return Tested<IsZeroNumber>(processor::Test::kIsZero, "is_zero", a);
}

}  // namespace twingrad::kernels
