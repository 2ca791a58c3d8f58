#include "autograd/tensor/kernels/arithmetic.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/narrow.h"
#include "autograd/tensor/kernels/numbers.h"
#include "autograd/tensor/kernels/pair_numbers.h"
#include "autograd/tensor/kernels/processor/loops.h"
#include "autograd/tensor/kernels/remote_bodies.h"
#include "autograd/tensor/kernels/stretches.h"

namespace twingrad::kernels {
namespace {

// From this size on a vectorised loop repays its call; its arithmetic has the same bits.
constexpr int64_t kVectorSize = 16;

// Of operands side by side.
template <typename Number, typename T, typename R>
void Loop(const T* a, const T* b, R* out, int64_t count) {
  if constexpr (HasLoop<Number> && std::is_floating_point_v<T>) {
    if (count >= kVectorSize) {
      return processor::LoopsInUse().Of<T>().binary(Number::kLoop, a, 1, b, 1, out, count);
    }
  }
  for (int64_t i = 0; i < count; ++i) out[i] = Number::Of(a[i], b[i]);
}

// Steps are 0 or 1.
template <typename Number, typename T, typename R>
void LoopOverRows(const processor::RowsOf<T>& a, const processor::RowsOf<T>& b,
                  const processor::ResultRows<R>& out) {
  if constexpr (HasLoop<Number> && std::is_floating_point_v<T>) {
    if (out.count >= kVectorSize) {
      return processor::LoopsInUse().Of<T>().binary_rows(Number::kLoop, a, b, out);
    }
  }
  for (int64_t row = 0; row < out.rows; ++row) {
    const T* const x = a.first + row * a.row_step;
    const T* const y = b.first + row * b.row_step;
    R* const z = out.first + row * out.row_step;
    for (int64_t i = 0; i < out.count; ++i) z[i] = Number::Of(x[i * a.step], y[i * b.step]);
  }
}

// The C++ type of a result element.
template <typename Number, typename T>
using ResultOf = decltype(Number::Of(T(), T()));

template <typename Number, typename T>
Tensor Broadcast(const char* op, const Tensor& a, const Tensor& b) {
  using R = ResultOf<Number, T>;
  const Shape shape = BroadcastShape(op, a.sizes(), b.sizes());
  Tensor out = Tensor::Empty(shape, kDTypeOf<R>, a.device());
  R* z = out.mutable_data<R>();
  if (out.numel() < kFewElements) {
    const T* x = a.data<T>();
    const T* y = b.data<T>();
    ForEachElement<2>(shape, {StridesFor(a, shape), StridesFor(b, shape)},
                      [&](int64_t p, int64_t q) { *z++ = Number::Of(x[p], y[q]); });
    return out;
  }
  ForEachBlock(shape, {OperandFor(a, shape), OperandFor(b, shape)}, [&](const Block& block) {
    LoopOverRows<Number>(block.RowsOf<T>(0), block.RowsOf<T>(1), block.ResultRows(z, out.numel()));
  });
  return out;
}

template <typename Number, typename T>
[[gnu::noinline, gnu::cold]] Tensor RemoteBinary(const char* op, const Tensor& a, const Tensor& b) {
  const Shape shape = BroadcastShape(op, a.sizes(), b.sizes());
  return RemoteMap<ResultOf<Number, T>, T, T>(op, Apply<Number>(), shape, a, b);
}

template <typename Number, typename T>
Tensor BinaryOf(const char* op, const Tensor& a, const Tensor& b) {
  using R = ResultOf<Number, T>;
  if (IsRemote(a)) [[unlikely]]
    return RemoteBinary<Number, T>(op, a, b);
  if (a.dim() == 0 && b.dim() == 0) {
    Tensor out = Tensor::EmptyScalar(kDTypeOf<R>, a.device());
    *out.mutable_data<R>() = Number::Of(*a.data<T>(), *b.data<T>());
    return out;
  }
  if (a.sizes() != b.sizes() || !a.IsContiguous() || !b.IsContiguous()) {
    return Broadcast<Number, T>(op, a, b);
  }
  Tensor out = Tensor::Empty(a.sizes(), kDTypeOf<R>, a.device());
  Loop<Number>(a.data<T>(), b.data<T>(), out.mutable_data<R>(), a.numel());
  return out;
}

Tensor WidelyOf(Tensor (*kernel)(const char*, const Tensor&, const Tensor&), const char* op,
                const Tensor& a, const Tensor& b) {
  return Widely([=](const Tensor& x, const Tensor& y) { return kernel(op, x, y); }, a, b);
}

template <typename Number>
Tensor Numeric(const char* op, const Tensor& a, const Tensor& b) {
  CheckSameKind(op, a, b);
  if (IsNarrow(a.dtype())) [[unlikely]]
    return WidelyOf(Numeric<Number>, op, a, b);
  return DispatchNumeric(op, a.dtype(),
                         [&](auto zero) { return BinaryOf<Number, decltype(zero)>(op, a, b); });
}

template <typename Number>
Tensor Floating(const char* op, const Tensor& a, const Tensor& b) {
  CheckSameKind(op, a, b);
  if (IsNarrow(a.dtype())) [[unlikely]]
    return WidelyOf(Floating<Number>, op, a, b);
  return DispatchFloating(op, a.dtype(),
                          [&](auto zero) { return BinaryOf<Number, decltype(zero)>(op, a, b); });
}

void CheckExponents(const Tensor& exponents) {
  if (IsRemote(exponents)) [[unlikely]]
    return CheckExponents(CopyTo(exponents, Device::Cpu()));
  if (IsNarrow(exponents.dtype())) return CheckExponents(Widened(exponents));
  const int64_t* data = exponents.data<int64_t>();
  const Ints sizes = exponents.sizes();
  ForEachElement<1>(sizes, {StridesFor(exponents, sizes)}, [&](int64_t at) {
    if (data[at] >= 0) return;
    throw Error(ErrorKind::kDomain,
                absl::StrCat("[pow] integer exponent ", data[at],
                             " is negative; integer exponents start at 0; cast to f64 first"));
  });
}

}  // namespace

Tensor Add(const Tensor& a, const Tensor& b) { return Numeric<AddNumber>("add", a, b); }
Tensor Sub(const Tensor& a, const Tensor& b) { return Numeric<SubNumber>("sub", a, b); }
Tensor Mul(const Tensor& a, const Tensor& b) { return Numeric<MulNumber>("mul", a, b); }
Tensor Div(const Tensor& a, const Tensor& b) { return Floating<DivNumber>("div", a, b); }
Tensor LogAddExp(const Tensor& a, const Tensor& b) {
  return Floating<LogAddExpNumber>("logaddexp", a, b);
}
Tensor Atan2(const Tensor& a, const Tensor& b) { return Floating<Atan2Number>("atan2", a, b); }
Tensor XLogY(const Tensor& a, const Tensor& b) { return Floating<XLogYNumber>("xlogy", a, b); }
Tensor Fmod(const Tensor& a, const Tensor& b) { return Floating<FmodNumber>("fmod", a, b); }
Tensor Remainder(const Tensor& a, const Tensor& b) {
  return Floating<RemainderNumber>("remainder", a, b);
}
Tensor TruncatedQuotient(const Tensor& a, const Tensor& b) {
  return Floating<TruncatedQuotientNumber>("fmod", a, b);
}
Tensor FlooredQuotient(const Tensor& a, const Tensor& b) {
  return Floating<FlooredQuotientNumber>("remainder", a, b);
}
Tensor Maximum(const Tensor& a, const Tensor& b) { return Numeric<MaximumNumber>("maximum", a, b); }

Tensor Minimum(const Tensor& a, const Tensor& b) { return Numeric<MinimumNumber>("minimum", a, b); }

Tensor Pow(const Tensor& a, const Tensor& b) {
  if (IsInteger(b.dtype()) && a.dtype() == b.dtype()) {
    // Exponents that meet no element are not looked at.
    const Shape shape = BroadcastShape("pow", a.sizes(), b.sizes());
    if (std::find(shape.begin(), shape.end(), 0) == shape.end()) CheckExponents(b);
  }
  return Numeric<PowNumber>("pow", a, b);
}

Tensor MaximumWeight(const Tensor& a, const Tensor& b) {
  return Floating<MaximumWeightNumber>("maximum", a, b);
}

Tensor Gated(const Tensor& a, const Tensor& gate) { return Floating<GatedNumber>("relu", a, gate); }

Tensor Equals(const Tensor& a, const Tensor& b) { return Floating<EqualNumber>("equals", a, b); }

Tensor ScaleOfSquares(const Tensor& a, const Tensor& b) {
  return Floating<ScaleOfSquaresNumber>("atan2", a, b);
}

Tensor PowIsFlatInBase(const Tensor& a, const Tensor& b) {
  return Floating<PowIsFlatInBaseNumber>("pow", a, b);
}

Tensor PowIsSteepInBase(const Tensor& a, const Tensor& b) {
  const Tensor steep = Floating<PowIsSteepInBaseNumber>("pow", a, b);
  const Tensor here = IsRemote(steep) ? CopyTo(steep, Device::Cpu()) : steep;
  const bool* const first = here.data<bool>();
  const bool* const end = first + steep.numel();
  return std::find(first, end, true) == end ? Tensor() : steep;
}

Tensor PowIsFlatInExponent(const Tensor& a, const Tensor& b) {
  return Floating<PowIsFlatInExponentNumber>("pow", a, b);
}

namespace {

[[gnu::noinline, gnu::cold]] void CheckEach(const char* op, const Tensor& target,
                                            const Tensor& other) {
  CheckSameKind(op, target, other);
  if (target.sizes() != other.sizes()) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[", op, "] shapes ", ShapeToString(target.sizes()), " and ",
                             ShapeToString(other.sizes()), " differ; they must be equal"));
  }
}

[[gnu::always_inline]] inline void CheckWritten(const char* op, const Tensor& target,
                                                const Tensor& other) {
  if (target.type() != other.type() || !target.type().IsExact()) [[unlikely]]
    CheckEach(op, target, other);
}

template <class T>
[[gnu::always_inline]] inline void AddOne(const Tensor& target, const Tensor& other) {
  T& sum = *target.mutable_data<T>();
  sum = AddNumber::Of(sum, *other.data<T>());
}

// Where elements of the target share memory one dimension is taken step by step, the shortest that
// parts them if there is one: pieces of a body run at the same time.
[[gnu::noinline, gnu::cold]] void AddOverlapping(const Tensor& target, const Tensor& other) {
  const auto beside = [](Ints all, size_t d) {
    Shape others(all.begin(), all.end());
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(d));
    return others;
  };
  const Ints sizes = target.sizes(), steps = target.strides();
  std::optional<size_t> best;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (HasInternalOverlap(beside(sizes, d), beside(steps, d))) continue;
    if (!best || sizes[d] < sizes[*best]) best = d;
  }
  const size_t d = best.value_or(0);
  for (int64_t k = 0; k < sizes[d]; ++k) {
    const auto part = [&](const Tensor& whole) {
      return whole.AsStrided(beside(whole.sizes(), d), beside(whole.strides(), d),
                             whole.storage_offset() + k * whole.strides()[d]);
    };
    Tensor place = part(target);
    AddInto(place, part(other));
  }
}

template <typename T>
[[gnu::noinline, gnu::cold]] void AddRemote(const Tensor& target, const Tensor& other) {
  if (HasInternalOverlap(target.sizes(), target.strides())) return AddOverlapping(target, other);
  RemoteMapInto<T, T, T>("add_", Apply<AddNumber>(), target, target, other);
}

// write(target, other) on narrow tensors.
template <typename Write>
[[gnu::noinline, gnu::cold]] void IntoNarrow(Tensor& target, const Tensor& other,
                                             const Write& write) {
  Tensor wide = Widened(target);
  write(wide, Widened(other));
  CopyInto(target, wide);
}

[[gnu::noinline]] void AddAll(Tensor& target, const Tensor& other) {
  if (IsNarrow(target.dtype())) [[unlikely]]
    return IntoNarrow(target, other, AddInto);
  DispatchNumeric("add_", target.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if (IsRemote(target)) [[unlikely]]
      return AddRemote<T>(target, other);
    T* x = target.mutable_data<T>();
    const T* y = other.data<T>();
    if (target.IsContiguous() && other.IsContiguous()) {
      return Loop<AddNumber, T>(x, y, x, target.numel());
    }
    const Ints sizes = target.sizes();
    ForEachElement<2>(sizes, {StridesFor(target, sizes), StridesFor(other, sizes)},
                      [&](int64_t p, int64_t q) { x[p] = AddNumber::Of(x[p], y[q]); });
  });
}

}  // namespace

void AddInto(Tensor& target, const Tensor& other) {
  CheckWritten("add_", target, other);
  // The sum of one element costs less than what leads to a loop.
  if (target.numel() == 1 && !IsRemote(target)) {
    if (target.dtype() == DType::kF64) return AddOne<double>(target, other);
    if (target.dtype() == DType::kF32) return AddOne<float>(target, other);
  }
  AddAll(target, other);
}

void SubScaledInto(Tensor& target, double factor, const Tensor& other) {
  CheckWritten("sub_", target, other);
  if (IsNarrow(target.dtype())) [[unlikely]] {
    return IntoNarrow(target, other, [factor](Tensor& wide, const Tensor& by) {
      SubScaledInto(wide, factor, by);
    });
  }
  DispatchFloating("sub_", target.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const SubScaled<T> function{static_cast<T>(factor)};
    if (IsRemote(target)) [[unlikely]]
      return RemoteMapInto<T, T, T>("sub_", function, target, target, other);
    T* x = target.mutable_data<T>();
    const T* y = other.data<T>();
    if (target.IsContiguous() && other.IsContiguous()) {
      for (int64_t i = 0; i < target.numel(); ++i) x[i] = function(x[i], y[i]);
      return;
    }
    const Ints sizes = target.sizes();
    ForEachElement<2>(sizes, {StridesFor(target, sizes), StridesFor(other, sizes)},
                      [&](int64_t p, int64_t q) { x[p] = function(x[p], y[q]); });
  });
}

}  // namespace twingrad::kernels
