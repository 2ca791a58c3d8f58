#include "autograd/tensor/kernels/copy.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/device/order_after.h"
#include "autograd/device/stream.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/processor/loops.h"
#include "autograd/tensor/kernels/remote_bodies.h"
#include "autograd/tensor/kernels/sparse.h"
#include "autograd/tensor/kernels/stretches.h"

namespace twingrad::kernels {
namespace {

template <typename To, typename From>
void CopyRow(const From* from, int64_t step, To* to, int64_t count) {
  if constexpr (std::is_same_v<To, From>) {
    if (step == 1) return void(std::copy_n(from, count, to));
  }
  for (int64_t i = 0; i < count; ++i) to[i] = CastNumber<To>(from[i * step]);
}

template <typename To, typename From>
void CopyElements(Tensor& target, const Tensor& source) {
  To* out = target.mutable_data<To>();
  const From* in = source.data<From>();
  if (target.dim() == 0 && source.dim() == 0) {
    *out = CastNumber<To>(*in);
    return;
  }
  const Ints sizes = target.sizes();
  if (target.IsContiguous()) {
    if (target.sizes() == source.sizes() && source.IsContiguous()) {
      return CopyRow(in, 1, out, target.numel());
    }
    // Conversions are many and rarely of what is not contiguous: rows will do.
    if constexpr (std::is_same_v<To, From>) {
      if (target.numel() < kFewElements) {
        return ForEachElement<1>(sizes, {StridesFor(source, sizes)},
                                 [&](int64_t from) { *out++ = in[from]; });
      }
      return ForEachStretch(sizes, {OperandFor(source, sizes)}, [&](const Stretch& s) {
        CopyRow(s.From<From>(0), s.step[0], out + s.offset, s.count);
      });
    }
  }
  ForEachRow<2>(sizes, {StridesFor(target, sizes), StridesFor(source, sizes)},
                [&](const Row<2>& row) {
                  To* to = out + row.offset[0];
                  const From* from = in + row.offset[1];
                  if (row.step[0] == 1) return CopyRow(from, row.step[1], to, row.count);
                  for (int64_t i = 0; i < row.count; ++i) {
                    to[i * row.step[0]] = CastNumber<To>(from[i * row.step[1]]);
                  }
                });
}

template <typename To, typename From>
[[gnu::noinline, gnu::cold]] void CopyRemoteElements(const Tensor& target, const Tensor& source) {
  RemoteMapInto<To, From>("copy_", ConvertTo<To>(), target, source);
}

// From one device to another. Between two of one type it is work of the source's current stream: it
// waits until the target's may be written, and the target's current stream waits for it. To the CPU
// it is done when it returns.
void CopyBetweenDevices(Tensor& target, const Tensor& source, absl::FunctionRef<void()> copy) {
  const Stream from = CurrentStream(source.device());
  const Stream to = CurrentStream(target.device());
  if (to.device.IsCpu() || from.device.IsCpu()) {
    copy();
    return OrderAfter(to, from);
  }
  OrderAfter(from, to);
  {
    const WorkStreamGuard work(from);
    copy();
  }
  OrderAfter(to, from);
}

// The same elements in row-major order, of this type, on the source's device.
Tensor Formed(const Tensor& source, Ints sizes, DType dtype) {
  if (source.dtype() == dtype && source.sizes() == sizes && source.IsContiguous()) return source;
  Tensor formed = Tensor::Empty(sizes, dtype, source.device());
  CopyInto(formed, source);
  return formed;
}

// Between a remote device and another: no kernel reaches the memory of both, so bytes are copied,
// and elements are put in order before and after that, each time on one device.
void CopyWithRemote(Tensor& target, const Tensor& source) {
  if (!IsRemote(target)) {
    return CopyInto(target, CopiedToHost(Formed(source, source.sizes(), source.dtype())));
  }
  Tensor formed = Formed(source, target.sizes(), target.dtype());
  if (formed.device().type == DeviceType::kSim) formed = CopyTo(formed, Device::Cpu());
  Tensor arrived = target.IsContiguous()
                       ? target
                       : Tensor::Empty(target.sizes(), target.dtype(), target.device());
  if (IsRemote(formed)) {
    CopyBetweenDevices(arrived, formed, [&] { CopyOnDevice(arrived, formed); });
  } else {
    CopyFromHost(arrived, formed);
  }
  if (!arrived.IsSameAs(target)) CopyInto(target, arrived);
}

// Calls function(To(), From()) with the C++ types, if they are converted at once.
template <typename Function>
void DispatchConversion(DType to, DType from, Function&& function) {
  DispatchAll(to, [&]<class To>(To target) {
    DispatchAll(from, [&]<class From>(From source) {
      if constexpr (kConvertsAtOnce<To, From>) function(target, source);
    });
  });
}

void CopyAny(Tensor& target, const Tensor& source) {
  if (target.is_sparse() || source.is_sparse()) RefuseSparse("copy_");
  if (const DType wide = ComputedAs(source.dtype());
      wide != source.dtype() && target.dtype() != source.dtype() && target.dtype() != wide) {
    return CopyAny(target, Cast(source, wide));
  }
  const bool is_remote = IsRemote(target);
  const auto copy = [&] {
    DispatchConversion(target.dtype(), source.dtype(), [&](auto to, auto from) {
      if (is_remote) [[unlikely]]
        return CopyRemoteElements<decltype(to), decltype(from)>(target, source);
      CopyElements<decltype(to), decltype(from)>(target, source);
    });
  };
  if (target.device() == source.device()) [[likely]]
    return copy();
  if (is_remote || IsRemote(source)) return CopyWithRemote(target, source);
  CopyBetweenDevices(target, source, copy);
}

Tensor Fresh(const Tensor& a, DType dtype, Device device) {
  Tensor out = Tensor::Empty(a.sizes(), dtype, device);
  CopyAny(out, a);
  return out;
}

template <typename T>
void SelectRow(const bool* condition, int64_t condition_step, const T* a, int64_t a_step,
               const T* b, int64_t b_step, T* out, int64_t count) {
  if constexpr (std::is_floating_point_v<T>) {
    if (condition_step == 1) {
      const processor::Loops& loops = processor::LoopsInUse();
      return loops.Of<T>().select(condition, a, a_step, b, b_step, out, count);
    }
  }
  for (int64_t i = 0; i < count; ++i) {
    out[i] = condition[i * condition_step] ? a[i * a_step] : b[i * b_step];
  }
}

template <typename T>
Tensor WhereOf(const Tensor& condition, const Tensor& a, const Tensor& b) {
  const Shape shape =
      BroadcastShape("where", condition.sizes(), BroadcastShape("where", a.sizes(), b.sizes()));
  if (IsRemote(a)) [[unlikely]] {
    Tensor out = Tensor::Empty(shape, a.dtype(), a.device());
    RemoteMapInto<T, bool, T, T>("where", Select(), out, condition, a, b);
    return out;
  }
  Tensor out = Tensor::Empty(shape, a.dtype(), a.device());
  T* z = out.mutable_data<T>();
  if (out.numel() < kFewElements) {
    const bool* c = condition.data<bool>();
    const T* x = a.data<T>();
    const T* y = b.data<T>();
    ForEachElement<3>(
        shape, {StridesFor(condition, shape), StridesFor(a, shape), StridesFor(b, shape)},
        [&](int64_t chosen, int64_t p, int64_t q) { *z++ = c[chosen] ? x[p] : y[q]; });
    return out;
  }
  ForEachStretch(shape, {OperandFor(condition, shape), OperandFor(a, shape), OperandFor(b, shape)},
                 [&](const Stretch& s) {
                   SelectRow(s.From<bool>(0), s.step[0], s.From<T>(1), s.step[1], s.From<T>(2),
                             s.step[2], z + s.offset, s.count);
                 });
  return out;
}

}  // namespace

Tensor Clone(const Tensor& a) {
  if (a.is_sparse()) [[unlikely]]
    return CloneSparse(a);
  return Fresh(a, a.dtype(), a.device());
}
Tensor CopyTo(const Tensor& a, Device device) { return Fresh(a, a.dtype(), device); }
Device HostSide(Device device) { return device.IsRemote() ? Device::Cpu() : device; }
Tensor MovedTo(const Tensor& a, Device device) {
  return a.device() == device ? a : CopyTo(a, device);
}
Tensor Cast(const Tensor& a, DType dtype) { return Fresh(a, dtype, a.device()); }

void CopyInto(Tensor& target, const Tensor& source) {
  if (!BroadcastsTo(source.sizes(), target.sizes())) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[copy_] source of shape ", ShapeToString(source.sizes()),
                             " does not broadcast to the target's ", ShapeToString(target.sizes()),
                             "; its sizes must be equal or 1, aligned at the right"));
  }
  if (target.HasSameStorage(source)) {
    CopyAny(target, Clone(source));
  } else {
    CopyAny(target, source);
  }
}

void FillInto(Tensor& target, double value) {
  DispatchAll(target.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T element = CastNumber<T>(value);
    if (IsRemote(target)) [[unlikely]]
      return RemoteMapInto<T>("fill_", Constant<T>{element}, target);
    T* out = target.mutable_data<T>();
    if (target.IsContiguous()) {
      std::fill_n(out, target.numel(), element);
      return;
    }
    const Ints sizes = target.sizes();
    ForEachElement<1>(sizes, {StridesFor(target, sizes)}, [&](int64_t at) { out[at] = element; });
  });
}

Tensor Where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  if (condition.dtype() != DType::kBool) RefuseDType("where", condition.dtype(), "bool conditions");
  CheckSameKind("where", a, b);
  if (condition.device() != a.device()) {
    RefuseDevices("where", "condition is on ", condition, " and the operands on ", a);
  }
  return DispatchAll(a.dtype(),
                     [&](auto zero) { return WhereOf<decltype(zero)>(condition, a, b); });
}

}  // namespace twingrad::kernels
